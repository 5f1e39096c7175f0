// Sign-in when the server returns 401, invitations, and sign-out. The form is loaded when it is needed.

import { call, callOnce, whenSignedOut } from './api.js'
import { $, say } from './dom.js'
import { forgetUnfinished, recall, remember, unfinishedRooms } from './memory.js'

const INVITATION = /^#\/invitation\/([^/]+)\/([\w-]+)$/
let isSignedIn = recall('signed-in') !== null // whether the user is signed in; scripts cannot see the cookie

const loadForm = () => import('./sign_in_form.js')

whenSignedOut(async again => {
  if (invited) return new Promise(() => {}) // the page is loaded again once the invitation was used
  const { askToSignIn } = await loadForm()
  await askToSignIn(again ? 'sign_in_not_kept' : null, isSignedIn ? 'sign_in_over' : 'sign_in_text')
  setSignedIn(true)
})

const invited = INVITATION.exec(location.hash)
if (invited) {
  loadForm().then(async ({ acceptInvitation }) => {
    await acceptInvitation(decodeURIComponent(invited[1]), invited[2])
    setSignedIn(true)
    history.replaceState(null, '', './')
    location.reload()
  })
}

function setSignedIn(on) {
  isSignedIn = on
  remember('signed-in', on ? 'yes' : null)
  $('sign-out').hidden = !on
}

$('sign-out').hidden = !isSignedIn
$('sign-out').addEventListener('click', async () => {
  try {
    await callOnce('DELETE', '/sessions')
  } catch (problem) {
    return say($('account-status'), 'sign_out_failed', { detail: problem.message })
  }
  setSignedIn(false)
  for (const room of unfinishedRooms()) forgetUnfinished(room)
  location.replace('./') // clears the page
})

const change = $('change-password') // only the page that asks has it
change?.addEventListener('click', async () => (await loadForm()).changePassword())
change?.closest('[popover]').addEventListener('toggle', async ({ newState }) => {
  if (newState === 'open' && isSignedIn) change.hidden = !(await callOnce('GET', '/me/preferences').catch(() => ({}))).has_password
})

// The browser itself requests a download, which would fail silently after the session has expired.
document.addEventListener('click', async event => {
  const link = event.target.closest?.('a[download]:is([href^="./documents/"], #my-data)')
  if (!isSignedIn || !link || !event.isTrusted) return
  event.preventDefault()
  const asks = link.id === 'my-data' ? '/me/preferences' : link.getAttribute('href').replace(/\/content.*/, '')
  await call('GET', asks).catch(() => {}) // the browser reports other errors
  link.click()
})

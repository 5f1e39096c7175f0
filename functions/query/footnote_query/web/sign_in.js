// The sign-in dialog, shown when the server returns 401, and sign-out.

import { call, callOnce, whenSignedOut } from './api.js'
import { $, say } from './dom.js'
import { forgetUnfinished, recall, remember, unfinishedRooms } from './memory.js'

const panel = $('sign-in')
const token = $('token')
let resolveSignIn = null // resolves the pending sign-in; null = none is pending
let isSignedIn = recall('signed-in') !== null // whether the user is signed in; scripts cannot see the cookie

whenSignedOut(again => {
  say($('sign-in-text'), isSignedIn ? 'sign_in_over' : 'sign_in_text')
  showTokenProblem(again ? 'sign_in_not_kept' : null)
  panel.showModal()
  return new Promise(resolve => (resolveSignIn = resolve))
})

$('sign-in-form').addEventListener('submit', async event => {
  event.preventDefault()
  const typed = token.value.trim()
  if (!typed) return showTokenProblem('token_empty')
  try {
    await callOnce('POST', '/sessions', { token: typed })
  } catch (problem) {
    return [401, 422].includes(problem.status) ? showTokenProblem('token_wrong') : showTokenProblem(null, problem.message)
  }
  token.value = ''
  setSignedIn(true)
  const signedIn = resolveSignIn
  resolveSignIn = null
  panel.close()
  signedIn?.() // the form may be submitted twice
})
panel.addEventListener('cancel', event => event.preventDefault()) // the page cannot be used without signing in
panel.addEventListener('close', () => resolveSignIn && !panel.open && panel.showModal()) // browsers allow `cancel` to be prevented only once

/** Shows why the token was rejected; null clears it. */
function showTokenProblem(key, message = '') {
  const line = $('token-problem')
  delete line.dataset.i18n
  if (key) say(line, key)
  else line.textContent = message
  token.setAttribute('aria-invalid', String(line.textContent !== ''))
  token.select()
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

// The browser itself requests a download, which would fail silently after the session has expired.
document.addEventListener('click', async event => {
  const link = event.target.closest?.('a[download]:is([href^="./documents/"], #my-data)')
  if (!isSignedIn || !link || !event.isTrusted) return
  event.preventDefault()
  const asks = link.id === 'my-data' ? '/me/preferences' : link.getAttribute('href').replace(/\/content.*/, '')
  await call('GET', asks).catch(() => {}) // the browser reports other errors
  link.click()
})

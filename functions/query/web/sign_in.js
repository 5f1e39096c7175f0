// Signing in, where the server wants to know who asks: a panel over the page until somebody has. And the way out.

import { call, callOnce, whenSignedOut } from './api.js'
import { $, say } from './dom.js'
import { forgetUnfinished, recall, remember, unfinishedRooms } from './memory.js'

const panel = $('sign-in')
const token = $('token')
let goOn = null // to be called when somebody has signed in; null = nobody is asked to
let here = recall('signed-in') !== null // whether somebody has: scripts cannot see the cookie

whenSignedOut(again => {
  say($('sign-in-text'), here ? 'sign_in_over' : 'sign_in_text')
  tell(again ? 'sign_in_not_kept' : null)
  panel.showModal()
  return new Promise(resolve => (goOn = resolve))
})

$('sign-in-form').addEventListener('submit', async event => {
  event.preventDefault()
  const typed = token.value.trim()
  if (!typed) return tell('token_empty')
  try {
    await callOnce('POST', '/sessions', { token: typed })
  } catch (problem) {
    return [401, 422].includes(problem.status) ? tell('token_wrong') : tell(null, problem.message)
  }
  token.value = ''
  setHere(true)
  const signedIn = goOn
  goOn = null
  panel.close()
  signedIn?.() // Enter may have been pressed twice
})
panel.addEventListener('cancel', event => event.preventDefault()) // there is nothing behind it to go back to
panel.addEventListener('close', () => goOn && !panel.open && panel.showModal()) // a browser lets itself be refused only once

/** Why the token will not do; null = it may, as far as is known. */
function tell(key, message = '') {
  const line = $('token-problem')
  delete line.dataset.i18n
  if (key) say(line, key)
  else line.textContent = message
  token.setAttribute('aria-invalid', String(line.textContent !== ''))
  token.select()
}

function setHere(on) {
  here = on
  remember('signed-in', on ? 'yes' : null)
  $('sign-out').hidden = !on
}

$('sign-out').hidden = !here
$('sign-out').addEventListener('click', async () => {
  try {
    await callOnce('DELETE', '/sessions')
  } catch (problem) {
    return say($('account-status'), 'sign_out_failed', { detail: problem.message })
  }
  setHere(false)
  for (const room of unfinishedRooms()) forgetUnfinished(room)
  location.replace('/') // nothing of theirs stays on the page
})

// A browser that saves a file asks for it itself, and would save nothing where the session is over.
document.addEventListener('click', async event => {
  const link = event.target.closest?.('a[download]:is([href^="/documents/"], #my-data)')
  if (!here || !link || !event.isTrusted) return
  event.preventDefault()
  const asks = link.id === 'my-data' ? '/me/preferences' : link.pathname.replace('/content', '')
  await call('GET', asks).catch(() => {}) // what else is wrong, the browser tells
  link.click()
})

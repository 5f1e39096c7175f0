// The dialog in which people sign in by name and password or by token, use an invitation, and change their password.

import { callOnce } from './api.js'
import { $, el, label, say, sayTranslated } from './dom.js'
import { addWords } from './i18n.js'
import de from './i18n/de.sign_in.js'
import en from './i18n/en.sign_in.js'
import ko from './i18n/ko.sign_in.js'

addWords({ en, de, ko })

const input = (id, attributes) => el('input', { id, required: true, 'aria-describedby': 'sign-in-problem', ...attributes })
const secret = (id, autocomplete) => input(id, { type: 'password', autocomplete, maxlength: 256 })
const fields = {
  name: input('sign-in-name', { autocomplete: 'username', maxlength: 200, autocapitalize: 'none', spellcheck: 'false' }),
  password: secret('password', 'current-password'),
  fresh: secret('new-password', 'new-password'),
  token: input('token', { type: 'password', autocomplete: 'off', 'aria-describedby': 'sign-in-problem token-where' }),
}
const words = { name: 'sign_in_name', password: 'password', fresh: 'password_new', token: 'token' }
const send = {
  password: () => callOnce('POST', '/sessions', { name: fields.name.value.trim(), password: fields.password.value }),
  token: () => callOnce('POST', '/sessions', { token: fields.token.value.trim() }),
  invitation: () => callOnce('POST', '/accounts', { ...invitation, password: fields.fresh.value }),
  change: () => callOnce('PUT', '/me/password', { password: fields.password.value, new_password: fields.fresh.value }),
}
const shown = { password: ['name', 'password'], token: ['token'], invitation: ['name', 'fresh'], change: ['password', 'fresh'] }
const titles = { invitation: 'invitation_title', change: 'password_change' }
const buttons = { invitation: 'password_set', change: 'password_set' }
const refused = { password: { 401: 'password_wrong' }, token: { 401: 'token_wrong', 422: 'token_wrong' }, change: { 403: 'password_old_wrong' } }

const title = el('h2', { id: 'sign-in-title' })
const text = el('p', { id: 'sign-in-text' })
const place = el('div', { class: 'sign-in-fields' })
const problem = el('p', { id: 'sign-in-problem', class: 'problem', role: 'alert' })
const where = el('p', { id: 'token-where', class: 'hint' }, say(el('span'), 'token_where'), ' ', el('code', {}, 'footnote session create'))
const rule = say(el('p', { class: 'hint' }), 'password_rule')
const reveal = say(el('button', { type: 'button', class: 'quiet', 'aria-pressed': 'false', onclick: toggle }), 'password_show')
const submit = el('button', { class: 'primary' })
const other = el('button', { type: 'button', class: 'quiet', onclick: () => show(mode === 'token' ? 'password' : 'token') })
const form = el('form', { id: 'sign-in-form', novalidate: true, onsubmit: event => (event.preventDefault(), finish()) }, title, text, place, submit, other)
const close = label(el('button', { type: 'button', class: 'quiet icon close cross', onclick: () => panel.close() }), 'close')
const panel = el('dialog', { id: 'sign-in', class: 'sign-in', 'aria-labelledby': 'sign-in-title', 'aria-describedby': 'sign-in-text' }, close, form)
document.body.append(panel)
let mode = 'token'
let hasPasswords = false
let invitation = null
let resolve = null // ends the pending sign-in; null = the dialog may be closed

panel.addEventListener('cancel', event => resolve && event.preventDefault()) // the page cannot be used without signing in
panel.addEventListener('close', () => resolve && !panel.open && panel.showModal()) // browsers allow `cancel` to be prevented only once

/** Resolves after sign-in. `wrong`: the key of what went wrong before, or null; `why`: the key of why to sign in. */
export async function askToSignIn(wrong, why) {
  hasPasswords = (await callOnce('GET', '/sign-in').catch(() => ({}))).passwords ?? false
  return open(hasPasswords && mode !== 'invitation' ? 'password' : 'token', why, {}, wrong)
}

/** Resolves when the invited person has chosen a password and is signed in. */
export function acceptInvitation(name, secretOfLink) {
  invitation = { name, invitation: secretOfLink }
  fields.name.value = name
  return open('invitation', 'invitation_text', { name })
}

/** Opens the form in which its owner changes a password. */
export function changePassword() {
  show('change', 'password_change_text')
  panel.showModal()
}

function open(which, why, values = {}, wrong = null) {
  show(which, why, values)
  showProblem(wrong)
  panel.showModal()
  return new Promise(done => (resolve = done))
}

function show(which, why = null, values = {}) {
  mode = which
  say(title, titles[mode] ?? 'sign_in')
  if (why) say(text, why, values)
  fields.name.readOnly = mode === 'invitation'
  for (const each of [fields.password, fields.fresh, fields.token]) each.value = ''
  const rows = shown[mode].flatMap(name => [say(el('label', { for: fields[name].id }), mode === 'change' && name === 'password' ? 'password_old' : words[name]), fields[name]])
  place.replaceChildren(...rows, ...(mode === 'token' ? [] : [reveal]), problem, ...(shown[mode].includes('fresh') ? [rule] : []), ...(mode === 'token' ? [where] : []))
  say(submit, buttons[mode] ?? 'sign_in')
  other.hidden = !(hasPasswords && ['password', 'token'].includes(mode))
  if (!other.hidden) say(other, mode === 'token' ? 'sign_in_by_password' : 'sign_in_by_token')
  close.hidden = mode !== 'change'
  toggle(null, false)
  showProblem(null)
  if (panel.open) place.querySelector('input:not([readonly])').focus()
}

async function finish() {
  const empty = shown[mode].find(name => !fields[name].value.trim())
  if (empty) return showProblem(`${empty}_empty`, '', fields[empty])
  submit.disabled = true
  try {
    await send[mode]()
  } catch ({ status, message }) {
    return showProblem(refused[mode]?.[status] ?? null, message)
  } finally {
    submit.disabled = false
  }
  const done = resolve
  resolve = null
  for (const each of [fields.password, fields.fresh, fields.token]) each.value = ''
  panel.close()
  if (mode === 'change') say($('account-status'), 'password_changed')
  done?.() // the form may be submitted twice
}

/** Shows why it was refused; no key and no message clears it. */
function showProblem(key, message = '', at = fields[shown[mode].at(-1)]) {
  for (const name of ['i18n', 'said']) delete problem.dataset[name]
  if (key) say(problem, key)
  else sayTranslated(problem, message)
  for (const each of Object.values(fields)) each.setAttribute('aria-invalid', String(each === at && problem.textContent !== ''))
  at.select()
}

/** Shows or hides what is typed. */
function toggle(_, on = reveal.getAttribute('aria-pressed') === 'false') {
  reveal.setAttribute('aria-pressed', String(on))
  say(reveal, on ? 'password_hide' : 'password_show')
  for (const each of [fields.password, fields.fresh]) each.type = on ? 'text' : 'password'
}

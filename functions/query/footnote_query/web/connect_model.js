// The form in which an admin connects a language model: tries an endpoint, lists its models, saves and removes it.

import { call } from './api.js'
import { $, el, label, say, sayTranslated } from './dom.js'
import { addWords, t } from './i18n.js'
import de from './i18n/de.connect.js'
import en from './i18n/en.connect.js'
import ko from './i18n/ko.connect.js'
import { loadStyle } from './style_sheet.js'

addWords({ en, de, ko })

const OTHER = ''
const ADDRESS = /^(?:https?:\/\/[^\s\/?#@{}]+(?:\/[^\s?#{}]*)?)?$/ // as the server wants it; empty is another problem
const describe = (input, hint) => (input.setAttribute('aria-describedby', hint.id), hint)
const provider = el('select', { id: 'connect-provider', onchange: fill })
const address = el('input', { id: 'connect-address', type: 'text', inputmode: 'url', required: true, spellcheck: 'false', autocomplete: 'off', placeholder: 'https://…/v1', oninput: forget })
const key = el('input', { id: 'connect-key', type: 'password', spellcheck: 'false', autocomplete: 'off', oninput: forget })
const names = el('datalist', { id: 'connect-models' })
const model = el('input', { id: 'connect-model-name', list: 'connect-models', spellcheck: 'false', autocomplete: 'off' })
const test = say(el('button', { type: 'button', class: 'quiet', onclick: () => form.reportValidity() && busily(() => tryIt()) }), 'connect_test')
const save = say(el('button', { type: 'submit', class: 'primary' }), 'connect_save')
const remove = say(el('button', { type: 'button', class: 'quiet', onclick: () => busily(removeIt) }), 'connect_remove')
const now = el('p', { class: 'hint' })
const status = el('p', { class: 'connect-status', role: 'status' })
const row = (input, key, hint) => el('div', {}, say(el('label', { for: input.id }), key), input, hint ? describe(input, say(el('small', { class: 'hint', id: `${input.id}-hint` }), hint)) : null)
const form = el('form', { onsubmit: event => (event.preventDefault(), busily(saveIt)) },
  row(provider, 'connect_provider'), row(address, 'connect_address'), row(key, 'connect_key', 'connect_key_hint'), row(model, 'connect_name', 'connect_model_hint'), names,
  el('p', { class: 'connect-buttons' }, test, save, remove))
const panel = el('dialog', { class: 'connect-dialog', 'aria-labelledby': 'connect-title' },
  el('header', {}, say(el('h2', { id: 'connect-title', tabindex: '-1' }), 'connect_title'),
    label(el('button', { type: 'button', class: 'quiet icon close cross', onclick: () => panel.close() }), 'close')),
  say(el('p', {}), 'connect_text'), now, form, status)
let endpoint = { providers: [] }
let changed
document.body.append(panel)
panel.addEventListener('click', ({ target }) => target === panel && panel.close())

/** Opens the form with the endpoint in use. `onChange` is called after a model was saved or removed. */
export async function openForm(onChange = () => {}) {
  changed = onChange
  await loadOnce()
  clear()
  panel.showModal()
  $('connect-title').focus()
  await busily(read)
}

let styled = null
const loadOnce = () => (styled ??= loadStyle('web/connect.css'))

async function read() {
  endpoint = await call('GET', '/model/endpoint')
  const rest = say(el('option', { value: OTHER }), 'connect_other')
  provider.replaceChildren(...endpoint.providers.map(each => el('option', { value: each.key }, each.name)), rest)
  const known = endpoint.providers.find(each => each.base_url === endpoint.base_url)
  const first = endpoint.base_url ? OTHER : endpoint.providers[0].key
  provider.value = known?.key ?? first
  if (endpoint.base_url) address.value = endpoint.base_url
  else fill()
  model.value = endpoint.model ?? ''
  key.value = ''
  names.replaceChildren()
  for (const control of [provider, address, key, model, save]) control.disabled = !endpoint.changeable
  if (!endpoint.changeable) say(status, 'connect_deployed')
  showEndpoint()
}

/** Says which endpoint is in use. */
function showEndpoint() {
  say(now, `connect_${endpoint.source}`, { address: endpoint.base_url ?? '' })
  remove.hidden = endpoint.source !== 'saved'
  hintAtKey()
}

/** Puts the provider's address into the form; the user's own part of it is selected. */
function fill() {
  const chosen = endpoint.providers.find(each => each.key === provider.value)
  address.value = chosen?.base_url ?? ''
  model.value = ''
  forget()
  const own = /\{\w+\}/.exec(address.value)
  if (!own && chosen) return
  address.focus()
  if (own) address.setSelectionRange(own.index, own.index + own[0].length)
}

/** What was listed belongs to another endpoint. */
function forget() {
  const wrong = /[{}]/.test(address.value) ? 'connect_own' : ADDRESS.test(address.value.trim()) ? null : 'connect_no_address'
  address.setCustomValidity(wrong ? t(wrong) : '')
  names.replaceChildren()
  clear()
  hintAtKey()
}

function hintAtKey() {
  const isKept = endpoint.source === 'saved' && endpoint.has_key && address.value.trim() === endpoint.base_url
  label(key, isKept ? 'connect_key_kept' : 'connect_key')
  key.placeholder = isKept ? '••••••••' : ''
}

function clear() {
  status.classList.remove('bad')
  delete status.dataset.i18n
  delete status.dataset.said
  status.textContent = ''
}

const given = () => ({ base_url: address.value.trim(), model: model.value.trim() || null, api_key: key.value.trim() || null })

/** Asks the endpoint for a word and says what came of it. → what it answered. */
async function tryIt() {
  say(status, 'connect_trying')
  const tried = await call('POST', '/model/try', given())
  const { listed, model: asked, seconds, problem } = tried
  names.replaceChildren(...listed.map(value => el('option', { value })))
  if (problem === null) {
    if (!model.value) model.value = asked
    say(status, 'connect_works', { model: asked, seconds: seconds.toFixed(1), n: listed.length })
  } else {
    clear()
    status.classList.add('bad')
    sayTranslated(status, problem)
  }
  return tried
}

/** Saves what answers. What does not would replace a model that may work, so it is saved only when asked to. */
async function saveIt() {
  const endpoint = given()
  const { model: asked, seconds, problem } = await tryIt()
  if (problem !== null) {
    clear()
    status.classList.add('bad')
    const anyway = say(el('button', { type: 'button', class: 'second', onclick: () => busily(() => keep(endpoint, 'connect_saved_only')) }), 'connect_anyway')
    return status.replaceChildren(sayTranslated(el('span'), problem), ' ', say(el('span'), 'connect_unsaved'), ' ', anyway)
  }
  await keep(endpoint, 'connect_saved_works', { model: asked, seconds: seconds.toFixed(1) })
}

async function keep(wanted, said, values = {}) {
  await call('PUT', '/model', wanted)
  say(status, said, values)
  key.value = ''
  endpoint = await call('GET', '/model/endpoint')
  showEndpoint()
  await changed()
}

async function removeIt() {
  await call('DELETE', '/model')
  await read()
  say(status, 'connect_removed')
  $('connect-title').focus()
  await changed()
}

/** Runs `act` while the buttons are disabled; a failure is shown. */
async function busily(act) {
  clear()
  form.inert = true
  try {
    await act()
  } catch (problem) {
    clear()
    status.classList.add('bad')
    sayTranslated(status, problem.message)
  } finally {
    form.inert = false
  }
}

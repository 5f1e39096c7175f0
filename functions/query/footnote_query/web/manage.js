// For admins: all collections, with buttons to create, rename, delete and restore them.

import { call } from './api.js'
import { chosenCollection, refreshCollections } from './collections.js'
import { confirmDelete } from './confirm.js'
import { $, el, label, say } from './dom.js'

const box = $('manage')
const list = $('manage-list')
const status = $('manage-status')
let follow = () => {} // selects a collection

/** `select(name)`: called when the selected collection was renamed or deleted. */
export function watchManagement(select) {
  follow = select
  box.addEventListener('toggle', () => box.open && show())
  $('manage-new').addEventListener('submit', async event => {
    event.preventDefault()
    const name = $('manage-name').value.trim()
    if (name && (await change('POST', '/collections', { name }))) $('manage-name').value = ''
  })
}

async function show() {
  try {
    const { data } = await call('GET', '/collections?all=true')
    list.replaceChildren(...data.map(rowOf))
  } catch ({ message }) {
    tell(message)
  }
}

/** → whether it was changed; otherwise the reason is shown. */
async function change(method, path, body) {
  try {
    await call(method, path, body)
  } catch ({ message }) {
    tell(message)
    return false
  }
  tell('')
  await Promise.all([show(), refreshCollections()])
  return true
}

function tell(message) {
  status.textContent = message
}

const pathOf = (name, rest = '') => `/collections/${encodeURIComponent(name)}${rest}`

function rowOf(found) {
  const { name, documents, title, state } = found
  const facts = say(el('span', { class: 'facts' }), 'manage_documents', { n: documents })
  const row = el('li', { 'data-state': state }, el('div', {}, el('span', { class: 'name', title }, name), facts))
  row.append(el('div', { class: 'act' }, ...(state === 'DELETED' ? ended(found, facts) : actions(row, name))))
  return row
}

function actions(row, name) {
  const rename = label(el('button', { type: 'button', class: 'quiet icon pen' }), 'manage_rename', { name })
  const remove = label(el('button', { type: 'button', class: 'quiet icon bin' }), 'remove', { title: name })
  rename.addEventListener('click', () => edit(row, rename, name))
  remove.addEventListener('click', () => confirmDelete(row, remove, 'manage_delete_question', async showError => {
    try {
      await call('DELETE', pathOf(name))
    } catch ({ message }) {
      return showError(message)
    }
    await Promise.all([show(), refreshCollections()])
    if (chosenCollection() === name) await follow(null)
    box.querySelector('summary').focus() // the button is gone
  }))
  return [rename, remove]
}

function ended({ name, restorable_until: until }, facts) {
  if (until === null) {
    say(facts, 'manage_removing')
    return []
  }
  const time = new Date(until * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  say(facts, 'manage_deleted', { time })
  const restore = say(el('button', { type: 'button', class: 'second' }), 'manage_restore')
  restore.addEventListener('click', () => change('POST', pathOf(name, '/restore')))
  return [restore]
}

function edit(row, button, name) {
  const input = el('input', { maxlength: 64, spellcheck: 'false', autocapitalize: 'off' })
  input.value = name
  const close = () => {
    form.remove()
    button.hidden = false
    button.focus()
  }
  const form = el('form', { class: 'question-row' },
    label(input, 'manage_rename', { name }),
    say(el('button', { type: 'submit', class: 'second' }), 'manage_save'),
    say(el('button', { type: 'button', class: 'quiet', onclick: close }), 'remove_no'))
  form.addEventListener('submit', async event => {
    event.preventDefault()
    const renamed = input.value.trim()
    const wasChosen = chosenCollection() === name
    if (renamed && renamed !== name && (await change('PATCH', pathOf(name), { name: renamed }))) wasChosen && (await follow(renamed))
  })
  form.addEventListener('keydown', event => event.key === 'Escape' && (event.preventDefault(), event.stopPropagation(), close()))
  button.hidden = true
  row.append(form)
  input.select()
}

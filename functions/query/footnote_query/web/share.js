// Sharing the shown conversation: its owner makes a link, copies it once, and deletes links.

import { call, here } from './api.js'
import { copyText } from './copy.js'
import { $, el, label, say, showAgo } from './dom.js'
import { addWords, currentLanguage } from './i18n.js'
import de from './i18n/de.shared.js'
import en from './i18n/en.shared.js'
import ko from './i18n/ko.shared.js'
import { readers } from './readers.js'
import { shownRoom } from './thread.js'

addWords({ en, de, ko })

const DAYS = [7, 30, 365]
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/
const text = el('p')
const title = say(el('h2', { id: 'share-title', tabindex: '-1' }), 'share')
const days = el('select', { id: 'share-days' }, ...DAYS.map(n => say(el('option', { value: n, selected: n === 30 }), 'share_days', { n })), say(el('option', { value: '' }), 'share_forever'))
const make = say(el('button', { type: 'button', class: 'primary', onclick: create }), 'share_make')
const address = label(el('input', { readonly: true, spellcheck: 'false' }), 'share_link')
const copy = label(el('button', { type: 'button', class: 'quiet icon copy', onclick: () => copyText(address.value, copy, 'share_copy') }), 'share_copy')
const made = el('p', { class: 'share-made', hidden: true }, address, copy)
const status = el('p', { class: 'hint', role: 'status' })
const links = el('ul', { class: 'share-links' })
const panel = el('dialog', { class: 'share-dialog', 'aria-labelledby': 'share-title' },
  el('header', {}, title, label(el('button', { type: 'button', class: 'quiet icon close cross', onclick: () => panel.close() }), 'close')),
  text, say(el('p', { class: 'note', hidden: !LOOPBACK.test(location.hostname) }), 'share_local'),
  el('p', { class: 'share-new' }, el('label', {}, say(el('span'), 'share_valid'), ' ', days), make),
  made, status, links)
let room = null
document.body.append(panel)
panel.addEventListener('click', ({ target }) => target === panel && panel.close())

const tell = (key, values) => say(status, key, values)

function fail(problem) {
  delete status.dataset.i18n
  status.textContent = problem.message
}

async function create() {
  try {
    const share = await call('POST', '/shares', { room_id: room, valid_days: days.value ? Number(days.value) : null })
    address.value = new URL(here(share.path), location).href
    made.hidden = false
    address.select()
    tell('share_made')
    await list()
  } catch (problem) {
    fail(problem)
  }
}

async function list() {
  const { data } = await call('GET', '/shares')
  links.replaceChildren(...data.filter(share => share.room_id === room).map(rowOf))
}

function rowOf({ share_id: id, created_at: created, expires_at: expires }) {
  const until = expires === null ? say(el('span'), 'share_no_end') : say(el('span'), 'share_until', { date: new Date(expires * 1000).toLocaleDateString(currentLanguage()) })
  const bin = say(el('button', { type: 'button', class: 'quiet', onclick: () => remove(id) }), 'share_delete')
  return el('li', {}, el('span', {}, say(el('span'), 'share_created'), ' ', showAgo(el('time'), created), ', ', until), bin)
}

async function remove(id) {
  try {
    await call('DELETE', `/shares/${encodeURIComponent(id)}`).catch(problem => {
      if (problem.status !== 404) throw problem
    })
    made.hidden = true // it may be the link that was just made
    tell('share_deleted')
    await list()
  } catch (problem) {
    fail(problem)
  }
  title.focus()
}

$('share').addEventListener('click', async () => {
  say(text, readers().own === null ? 'share_text_open' : 'share_text') // without sign-in nobody has a group
  room = shownRoom()
  made.hidden = true
  delete status.dataset.i18n
  status.textContent = ''
  links.replaceChildren()
  panel.showModal()
  await list().catch(fail)
})

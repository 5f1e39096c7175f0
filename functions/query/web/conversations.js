// The list of conversations, most recently used first.

import { addressOf, NEW } from './address.js'
import { call } from './api.js'
import { confirmDelete } from './confirm.js'
import { $, el, label, say, showAgo } from './dom.js'
import { forgetUnfinished, recallUnfinished, unfinishedRooms } from './memory.js'

const PAGE = 30

const list = $('conversation-list')
let rooms = []
let loaded = false
let after = null // id of the last loaded conversation; null = all are loaded
let current = null
let onDeleted = () => {}

/** `deleted(room)`: called after a conversation was deleted. */
export function watchConversations(deleted) {
  onDeleted = deleted
  $('more-conversations').addEventListener('click', () => load(after))
}

/** Reloads the newest conversations. */
export const refreshConversations = () => load(null)

/** Renders the list; `room` is the conversation shown in the thread. */
export function showConversations(room) {
  current = room
  show()
}

async function load(from) {
  let page
  try {
    page = await call('GET', `/conversations?${new URLSearchParams({ limit: PAGE, ...(from ? { after: from } : {}) })}`)
  } catch (problem) {
    if (rooms.length === 0) showError(problem.message)
    return
  }
  const found = new Set(page.data.map(({ room_id }) => room_id))
  const others = rooms.filter(({ room_id }) => !found.has(room_id))
  if (from || others.length === 0) after = page.has_more ? page.last_id : null
  loaded = true
  rooms = from ? [...others, ...page.data] : [...page.data, ...others]
  show()
}

function show() {
  const all = [...unsaved(), ...rooms]
  const focused = list.contains(document.activeElement) && document.activeElement.hash
  list.replaceChildren(...all.map(rowOf))
  if (focused) [...list.querySelectorAll('a')].find(({ hash }) => hash === focused)?.focus()
  $('more-conversations').hidden = after === null
  say($('no-conversations'), 'no_conversations').hidden = all.length > 0 || !loaded
}

/** Conversations whose first answer is still running; the server lists them only once it is complete. */
function unsaved() {
  const known = new Set(rooms.map(({ room_id }) => room_id))
  const found = unfinishedRooms().filter(room => !known.has(room)).map(room => ({ room_id: room, ...recallUnfinished(room) }))
  return found.sort((a, b) => b.at - a.at).map(({ room_id, request, at }) => ({ room_id, title: request.query_text, updated_at: at }))
}

function showError(message) {
  const line = $('no-conversations')
  delete line.dataset.i18n
  line.textContent = message
  line.hidden = false
}

function rowOf({ room_id: room, title, updated_at: updated }) {
  const link = el('a', { href: addressOf(room), title, 'aria-current': room === current && 'page' }, el('span', { class: 'title' }, title), showAgo(el('time'), updated))
  const bin = label(el('button', { type: 'button', class: 'quiet icon bin' }), 'conversation_delete', { title })
  const row = el('li', {}, link, bin)
  bin.addEventListener('click', () => confirmDelete(row, bin, 'conversation_delete_question', showError => remove(room, showError)))
  return row
}

async function remove(room, showError) {
  try {
    await call('DELETE', `/conversations/${encodeURIComponent(room)}`)
  } catch (problem) {
    if (problem.status !== 404) return showError(problem.message)
  }
  forgetUnfinished(room)
  rooms = rooms.filter(({ room_id }) => room_id !== room)
  if (after === room) after = rooms.at(-1)?.room_id ?? null // a deleted conversation cannot be a cursor
  show()
  $('new-conversation').focus()
  onDeleted(room)
}

$('new-conversation').href = NEW

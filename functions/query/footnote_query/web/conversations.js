// The list of conversations: pinned ones, then the last used ones by date; with a search by title.

import { NEW } from './address.js'
import { call } from './api.js'
import { grouped, matching } from './conversation_groups.js'
import { conversationRow } from './conversation_row.js'
import { $, el, say, watchSearch } from './dom.js'
import { forgetUnfinished, recallUnfinished, unfinishedRooms } from './memory.js'

const PAGE = 200
const SHOWN = 30 // at first, and more with each "Show more"

const list = $('conversation-list')
const search = $('conversation-search')
const sections = new Map() // key of a heading → its section, whose last element is the list
const drawn = new Map() // room → {content, row}
let rooms = []
let loaded = false
let shown = SHOWN
let isEditing = false // a name is edited: the list stays as it is
let current = null
let onDeleted = () => {}

/** `deleted(room)`: called after a conversation was deleted. */
export function watchConversations(deleted) {
  onDeleted = deleted
  $('more-conversations').addEventListener('click', () => {
    shown += SHOWN
    show()
  })
  watchSearch(search, () => {
    shown = SHOWN
    show()
  })
}

/** Reloads the newest conversations, at first all of them. */
export async function refreshConversations() {
  const after = await load(null)
  if (after && rooms.length <= PAGE) loadOlder(after)
}

/** All conversations that are loaded, the last used one first. */
export const knownConversations = () => rooms

/** Renders the list; `room` is the conversation shown in the thread. */
export function showConversations(room) {
  current = room
  show()
}

async function loadOlder(after) {
  while (after) after = await load(after)
}

/** Loads one page → the id after which the next one begins; null = there is none. */
async function load(after) {
  let page
  try {
    page = await call('GET', `/conversations?${new URLSearchParams({ limit: PAGE, ...(after ? { after } : {}) })}`)
  } catch (problem) {
    if (rooms.length === 0) showError(problem.message)
    return null
  }
  const found = new Set(page.data.map(({ room_id }) => room_id))
  const others = rooms.filter(({ room_id }) => !found.has(room_id))
  loaded = true
  rooms = after ? [...others, ...page.data] : [...page.data, ...others]
  show()
  return page.has_more ? page.last_id : null
}

function show() {
  if (isEditing) return
  const all = [...unsaved(), ...rooms]
  const found = matching(all, search.value)
  const groups = grouped(found)
  const focused = list.contains(document.activeElement) ? document.activeElement : null
  arrange(list, groupNodes(groups, shown))
  if (focused && focused !== document.activeElement) focusAgain(focused)
  search.closest('label').hidden = all.length === 0
  $('more-conversations').hidden = found.length <= shown
  const none = all.length > 0 ? 'conversations_none_found' : 'no_conversations'
  say($('no-conversations'), none).hidden = found.length > 0 || !loaded
  const status = $('conversations-status')
  if (search.value.trim()) say(status, 'conversations_found', { n: found.length })
  else status.replaceChildren()
}

function groupNodes(groups, most) {
  const nodes = []
  for (const [name, found] of groups) {
    const rows = found.slice(0, most).map(rowOf)
    most -= rows.length
    if (rows.length === 0) break
    const section = sectionOf(name)
    arrange(section.lastElementChild, rows)
    nodes.push(section)
  }
  return nodes
}

function sectionOf(name) {
  const id = `conversations-${name}`
  if (!sections.has(name)) sections.set(name, el('section', {}, say(el('h3', { id }), `conversations_${name}`), el('ul', { 'aria-labelledby': id })))
  return sections.get(name)
}

/** The conversation's row: the one that is there if it says the same and nothing is being asked in it. */
function rowOf(room) {
  const content = JSON.stringify([room, room.room_id === current, document.documentElement.lang])
  const known = drawn.get(room.room_id)
  if (known?.content === content && !known.row.querySelector('.rename, .question-row')) return known.row
  const row = conversationRow(room, room.room_id === current, acts)
  drawn.set(room.room_id, { content, row })
  return row
}

/** Makes `nodes` the children of `parent`; those that stay in place are not touched, as there may be a thousand. */
function arrange(parent, nodes) {
  nodes.forEach((node, place) => parent.children[place] === node || parent.insertBefore(node, parent.children[place] ?? null))
  while (parent.children.length > nodes.length) parent.lastElementChild.remove()
}

/** The list has the focus where it was before a row was drawn anew. */
function focusAgain(node) {
  const room = node.closest('li')?.dataset.room
  const row = [...list.querySelectorAll('li')].find(({ dataset }) => dataset.room === room)
  const same = ['pin', 'pencil', 'bin'].find(name => node.classList.contains(name))
  row?.querySelector(same ? `.${same}` : 'a')?.focus()
}

/** Conversations whose first answer is still running; the server lists them only once it is complete. */
function unsaved() {
  const known = new Set(rooms.map(({ room_id }) => room_id))
  const found = unfinishedRooms().filter(room => !known.has(room)).map(room => ({ room_id: room, ...recallUnfinished(room) }))
  return found.sort((a, b) => b.at - a.at).map(({ room_id, request, at }) => ({ room_id, title: request.query_text, updated_at: at, unsaved: true }))
}

function showError(message) {
  const line = $('no-conversations')
  delete line.dataset.i18n
  line.textContent = message
  line.hidden = false
}

const change = (room, fields) => call('PATCH', `/conversations/${encodeURIComponent(room)}`, fields)
const put = (room, fields) => (rooms = rooms.map(each => (each.room_id === room ? { ...each, ...fields } : each)))

const acts = {
  async pin(room, pinned) {
    try {
      await change(room, { pinned })
    } catch (problem) {
      return showError(problem.message)
    }
    put(room, { pinned })
    show()
  },

  async rename(room, title, showError) {
    try {
      await change(room, { title })
    } catch (problem) {
      return showError(problem.message)
    }
    if (title) put(room, { title })
    else await load(null) // the server knows the first question
    acts.editing(false)
  },

  async remove(room, showError) {
    try {
      await call('DELETE', `/conversations/${encodeURIComponent(room)}`)
    } catch (problem) {
      if (problem.status !== 404) return showError(problem.message)
    }
    forgetUnfinished(room)
    rooms = rooms.filter(({ room_id }) => room_id !== room)
    show()
    $('new-conversation').focus()
    onDeleted(room)
  },

  /** Afterwards the list is rebuilt, and the pencil has the focus. */
  editing(on) {
    const edited = list.querySelector('.rename')?.closest('li').dataset.room
    const hadFocus = list.contains(document.activeElement)
    isEditing = on
    if (on) return
    show()
    const row = [...list.querySelectorAll('li')].find(({ dataset }) => dataset.room === edited)
    if (hadFocus) row?.querySelector('.pencil')?.focus()
  },
}

$('new-conversation').href = NEW

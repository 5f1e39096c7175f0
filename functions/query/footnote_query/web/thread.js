// The shown conversation: its turns, and the running one.

import { currentRoom, makeRoom, nameRoom } from './address.js'
import { callAll } from './api.js'
import { $, el, say } from './dom.js'
import { forgetUnfinished, recallUnfinished, rememberUnfinished } from './memory.js'
import { Turn } from './turn.js'

const thread = $('thread')
let room = null // null = a new conversation, which gets its id with the first question
let draft = null // the id that a new conversation will have
let turns = []
let running = null
let loading = false
let opened = 0 // only the newest call may change the thread
let onChange = () => {}

/** `onAsk(text, fields)`: a turn requests a question, with these fields of the request. `changed()`: another conversation is shown, or it grew. */
export function watchThread({ onAsk, changed }) {
  onChange = changed
  thread.addEventListener('ask', ({ target, detail: { text, fields } }) => {
    const failed = turns.find(({ element, isSettled }) => !isSettled && element.contains(target))
    if (isBusy()) return
    if (failed) drop(failed) // the retry replaces it
    onAsk(text, fields)
  })
}

export const shownRoom = () => room
/** The conversation of the next question. */
export const roomToAsk = () => room ?? (draft ??= makeRoom())
export const isRunning = () => running !== null
export const isBusy = () => isRunning() || loading
export const stopRunning = () => running?.stop()
export const finishedTurns = () => turns.map(({ record }) => record).filter(Boolean)

/** Asks in this conversation. `request`: the body of POST /ask/stream without the room. */
export function askHere(request) {
  if (room === null) nameRoom((room = roomToAsk()))
  return run({ ...request, room_id: room })
}

/** Shows the conversation in the address, and resumes an unfinished answer. */
export async function showRoom() {
  const wanted = currentRoom()
  if (wanted === room) return
  running?.leave()
  running = null
  room = wanted
  draft = null
  turns = []
  thread.replaceChildren()
  setLoading(wanted !== null)
  onChange()
  const mine = ++opened
  if (wanted !== null) await fill(wanted, () => mine !== opened)
}

/** `late()`: whether the user has moved on to another conversation. */
async function fill(wanted, late) {
  const unfinished = recallUnfinished(wanted)
  let stored = []
  try {
    stored = await callAll(`/conversations/${encodeURIComponent(wanted)}`)
  } catch (problem) {
    const lost = problem.status === 404 ? say(el('p', { class: 'note' }), 'conversation_gone') : el('p', { class: 'note failed' }, problem.message)
    if (!late() && !unfinished) thread.append(lost)
  }
  if (late()) return
  const isUnfinished = ({ trace_id: trace }) => unfinished?.from.startsWith(trace)
  const goesOn = found => found.status === 'idle' && isUnfinished(found)
  for (const found of stored) if (!goesOn(found)) append(Turn.stored(found))
  turns.at(-1)?.element.scrollIntoView()
  setLoading(false)
  onChange()
  if (!unfinished) return
  if (stored.some(found => isUnfinished(found) && !goesOn(found))) forgetUnfinished(wanted)
  else run(unfinished.request, unfinished.from)
}

function setLoading(on) {
  loading = on
  thread.setAttribute('aria-busy', String(on))
}

async function run(request, from = null) {
  const here = room
  const turn = new Turn(request.query_text)
  append(turn)
  running = turn
  thread.setAttribute('aria-busy', 'true')
  onChange()
  turn.element.scrollIntoView()
  const remember = id => {
    rememberUnfinished(here, { request, from: id, at: Date.now() / 1000 })
    onChange()
  }
  await turn.run(request, { from, onOpen: remember })
  if (!turn.wasLeft) forgetUnfinished(here)
  if (running !== turn) return
  running = null
  thread.setAttribute('aria-busy', 'false')
  onChange()
}

function append(turn) {
  turns.push(turn)
  thread.append(turn.element)
}

function drop(turn) {
  turns = turns.filter(other => other !== turn)
  turn.element.remove()
}

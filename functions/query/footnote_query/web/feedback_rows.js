// A rating in the list of feedback: what was asked, answered and said, and the button for a golden case.

import { addressOf } from './address.js'
import { el, say, showAgo } from './dom.js'
import { wordOf } from './feedback_form.js'
import { goldenButton } from './golden_button.js'
import { number } from './i18n.js'
import { renderLive } from './markdown.js'
import { replayFold } from './replay_fold.js'
import { stepOf } from './steps.js'

const EXTERNAL = /^(mcp|kdb)\|/ // passages of connected systems

/** `row`: one of GET /feedback. `onCase()`: a golden case was made or deleted. `leave()`: the view has to close. → {element, show()} */
export function feedbackRow(row, onCase, leave) {
  const { rating, user_id: user, given_at: at, collection, withheld, question } = row
  const facts = el('p', { class: 'hint' }, showAgo(el('time'), at), ' · ', user, ' · ', collection)
  const sign = el('span', { class: `sign icon ${rating}`, 'aria-hidden': 'true' })
  const head = el('div', { class: 'card-head' }, sign, say(el('b'), rating), facts)
  if (withheld) return { element: el('li', { class: 'card' }, head, words(row), say(el('p', { class: 'note' }), 'feedback_withheld')), show() {} }
  const button = goldenButton(row, onCase)
  const element = el(
    'li', { class: 'card' }, head, el('h3', {}, question), words(row), ...said('feedback_said', row.comment),
    ...said('feedback_right', row.proposed_answer), answerOf(row), ...citedBy(row), stepsOf(row), origin(row, leave), replayFold(row.trace_id), button.element,
  )
  return { element, show: button.show }
}

/** The reason and the tags. */
function words({ reason, tags }) {
  const all = [...(reason ? [wordOf('reason', reason)] : []), ...tags.map(tag => wordOf('tag', tag))]
  return all.length ? el('ul', { class: 'words' }, ...all.map(word => el('li', {}, word))) : null
}

export function said(key, text) {
  return text ? [el('div', { class: 'said' }, say(el('span', { class: 'hint' }), key), el('blockquote', {}, text))] : []
}

/** The answer, closed at first. */
export function answerOf({ answer }) {
  if (!answer) return null
  return el('details', {}, say(el('summary'), 'feedback_answer'), el('div', { class: 'answer' }, renderLive(answer, () => '')))
}

/** How the answer was made, closed at first. */
function stepsOf({ steps }) {
  if (steps.length === 0) return null
  const rows = steps.map(({ ms, status, ...step }) => el('li', {}, stepOf(step), ' ',
    say(el('span', { class: 'hint' }), 'ms', { ms: number(ms, ms < 10 ? 1 : 0) }), ...(status === 'ok' ? [] : [' ', say(el('em', { class: 'bad' }), `was_${status}`)])))
  return el('details', {}, say(el('summary'), 'receipt_steps'), el('ol', { class: 'cited' }, ...rows))
}

function citedBy({ citations, selected_citations: selected }) {
  if (citations.length === 0) return []
  const rows = citations.map(each => {
    const answers = selected.includes(each.chunk_id) || selected.includes(each.doc_id)
    const quoted = each.snippet ? el('p', { class: 'hint' }, each.snippet) : null
    return el('li', {}, documentLink(each), answers ? say(el('span', { class: 'answers' }), 'feedback_answers') : null, quoted)
  })
  return [el('div', { class: 'said' }, say(el('span', { class: 'hint' }), 'feedback_cited'), el('ol', { class: 'cited' }, ...rows))]
}

/** A link that opens the passage in another tab; only the title where a connected system found it. */
export function documentLink({ doc_id: doc, chunk_id: chunk, title, page }) {
  const name = [title, ...(page == null ? [] : [' ', say(el('span', { class: 'page' }), 'page_short', { page: String(page) })])]
  if (EXTERNAL.test(chunk)) return el('span', {}, ...name)
  const href = `./?${new URLSearchParams({ doc_id: doc, chunk_id: chunk })}${page == null ? '' : `#page=${page}`}`
  return el('a', { href, target: '_blank', rel: 'noopener' }, ...name)
}

/** One's own conversation, which shows the receipt; of others only the id, by which logs name the turn. */
function origin({ room_id: room, trace_id: trace }, leave) {
  if (room) return el('p', { class: 'hint' }, say(el('a', { href: `./${addressOf(room)}`, onclick: leave }), 'feedback_conversation'))
  return el('p', { class: 'hint' }, say(el('span', { class: 'trace' }), 'trace', { id: trace }))
}

// The list of golden cases, with what has become of their passages.

import { call } from './api.js'
import { confirmDelete } from './confirm.js'
import { el, label, say, showAgo } from './dom.js'
import { answerOf, documentLink, said } from './feedback_rows.js'
import { deleteCase } from './golden_cases.js'

const PAGE = 20

/** A page of cases. `collection`: '' = of all. */
export function readCases(collection, after) {
  return call('GET', `/golden?${new URLSearchParams({ limit: PAGE, ...(collection && { index_name: collection }), ...(after && { after }) })}`)
}

/** `onDeleted(element)`: the case is gone. */
export function caseRow(found, onDeleted) {
  const { case_id: id, collection, expects, withheld, question, facts, note, passages, permission_groups: groups, author, changed_at: at } = found
  const remove = label(el('button', { type: 'button', class: 'quiet icon bin' }), 'golden_delete')
  const about = el('p', { class: 'hint' }, showAgo(el('time'), at), ' · ', say(el('span'), 'golden_by', { author }), ' · ', collection,
    ...(groups.length ? [' · ', say(el('span'), 'golden_groups', { groups: groups.join(', ') })] : []))
  const row = el(
    'li', { class: 'card' }, el('div', { class: 'card-head' }, about, remove),
    withheld ? say(el('p', { class: 'note' }), 'golden_withheld') : el('h3', {}, question),
    expects === 'refusal' ? el('ul', { class: 'words' }, el('li', {}, say(el('span'), 'golden_must_refuse'))) : null,
    ...list('golden_contains', 'words', facts.map(fact => el('li', {}, fact))),
    ...list('golden_cites', 'cited', passages.map(passageRow)), ...said('golden_note', note), withheld ? null : answerOf(found),
  )
  remove.addEventListener('click', () => confirmDelete(row, remove, 'golden_delete_question', async showError => {
    try {
      await deleteCase(id)
    } catch ({ message }) {
      return showError(message)
    }
    onDeleted(row)
  }))
  return row
}

function list(key, looks, rows) {
  return rows.length ? [el('div', { class: 'said' }, say(el('span', { class: 'hint' }), key), el('ul', { class: looks }, ...rows))] : []
}

function passageRow({ title, state, ...ids }) {
  if (title === null) return el('li', {}, say(el('span'), 'golden_untitled'), ' ', say(el('span', { class: 'bad' }), 'golden_gone'))
  const changed = { moved: ['answers', 'golden_moved'], gone: ['bad', 'golden_gone'] }[state]
  return el('li', {}, documentLink({ ...ids, title }), ...(changed ? [' ', say(el('span', { class: changed[0] }), changed[1])] : []))
}

// The documents of a collection that were deleted within the last hour, each with a button that restores it.

import { call } from './api.js'
import { $, el, label, say } from './dom.js'

const list = $('deleted-list')
const MOST = 20 // rows: those that were deleted last

/** Shows what can be restored in this collection, unless `isShown()` has become false. `onRestored()`: called after one was restored. */
export async function showDeleted(collection, isShown, onRestored) {
  const { data } = await call('GET', `/documents?${new URLSearchParams({ collection, deleted: true, limit: MOST })}`)
  if (isShown()) list.replaceChildren(...data.map(found => rowOf(found, onRestored)))
}

export const hideDeleted = () => list.replaceChildren()

function rowOf({ doc_id: docId, title, restorable_until: until }, onRestored) {
  const time = new Date(until * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  const facts = say(el('span', { class: 'facts' }), 'manage_deleted', { time })
  const restore = label(say(el('button', { type: 'button', class: 'second' }), 'manage_restore'), 'restore_document', { title })
  restore.addEventListener('click', async () => {
    restore.disabled = true
    try {
      await call('POST', `/documents/${encodeURIComponent(docId)}/restore`)
    } catch ({ message }) {
      delete facts.dataset.i18n
      facts.textContent = message
      return
    }
    if (row.contains(document.activeElement) || document.activeElement === document.body) $('documents-title').focus()
    row.remove()
    say($('documents-status'), 'status_restored', { title })
    onRestored()
  })
  const row = el('li', { 'data-state': 'DELETED' }, el('div', {}, el('span', { class: 'name' }, title), facts), el('div', { class: 'act' }, restore))
  return row
}

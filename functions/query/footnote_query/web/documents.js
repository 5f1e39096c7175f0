// The list of a collection's documents. One poll updates both the list and the running uploads.

import { holding } from './conversation_groups.js'
import { hideDeleted, showDeleted } from './deleted_list.js'
import { DocumentRow } from './document_row.js'
import { $, say, watchSearch } from './dom.js'
import { findDocument, isSettled, listDocuments } from './listing.js'
import { chosenReaders } from './readers.js'
import { UploadTable } from './upload_table.js'

const PAGE = 50
const FILTERED = 8 // documents from which on the list can be filtered
const MANY = 10 // pending files, above which polling slows down
const SHORT_MS = 300
const LONG_MS = 1500
const LONGEST_MS = 6000

const list = $('document-list')
const filter = $('document-filter')
const rows = new Map() // doc_id → DocumentRow, in the order of the list
let collection = ''
let shown = PAGE
let listed = { documents: [], more: false } // as last loaded; to filter, all documents are
let announced = '' // the search whose number of documents was announced last
let newest = 0 // latest change of a listed document
let ready = null // number of READY documents; null = not loaded yet
let phase = 'still' // 'reading' while documents are being processed, then 'meaning' until all vectors exist
let wait = SHORT_MS
let timer = 0 // 0 = no poll is scheduled
let due = 0 // time of the scheduled poll
let polls = Promise.resolve()
let onChange = () => {}
let onCount = () => {}

const uploads = new UploadTable(() => {
  phase = 'reading'
  pollSoon(pace())
})

/** `changed(collection)`: called when documents became READY, got all their vectors, or were deleted. `counted(collection, {documents, reading})`:
 * called as often as all documents were listed, with how many are READY and how many are being read. */
export function watchDocuments({ changed, counted }) {
  onChange = changed
  onCount = counted
  $('more-documents').addEventListener('click', () => {
    shown += PAGE
    poll()
  })
  watchSearch(filter, () => {
    shown = PAGE
    showFound()
    if (listed.more) pollSoon(SHORT_MS)
  })
  document.addEventListener('visibilitychange', () => document.hidden || poll())
}

export async function showDocuments(name) {
  if (name !== collection) {
    collection = name
    shown = PAGE
    phase = 'still'
    ready = null
    listed = { documents: [], more: false }
    rows.clear()
    list.replaceChildren()
    filter.value = ''
    filter.closest('label').hidden = true
    hideDeleted()
  }
  await poll()
  await showRestorable()
}

/** Shows which documents can be restored; that they cannot be listed is no problem of the list above. */
const showRestorable = (name = collection) => showDeleted(name, () => name === collection, () => {
  phase = 'reading'
  pollSoon(0)
}).catch(() => {})

/** Uploads files `{file, path}` into the shown collection. */
export function addFiles(items) {
  uploads.add(items, collection, chosenReaders(), newest)
}

// --- polling -----------------------------------------------------------------------------------

/** Polls, one at a time; resolves when this poll is done. */
function poll() {
  clearTimeout(timer)
  timer = 0
  return (polls = polls.then(pollAll))
}

/** Schedules a poll within `ms`; an earlier one is kept. */
function pollSoon(ms) {
  const at = performance.now() + ms
  if (timer && due <= at) return
  clearTimeout(timer)
  timer = setTimeout(poll, ms)
  due = at
}

const pace = () => (uploads.expected(collection).length > MANY ? LONG_MS : SHORT_MS)

async function pollAll() {
  const started = performance.now()
  let moved = false
  try {
    for (const name of uploads.collections()) if (name !== collection) moved = (await pollCollection(name)).moved || moved
    moved = (await showNow()) || moved
  } catch (problem) {
    showProblem(problem)
  }
  wait = moved ? pace() : Math.min(wait * 1.6, LONGEST_MS)
  const took = performance.now() - started
  if (phase !== 'still' || uploads.collections().size > 0) pollSoon(Math.max(wait, 2 * took))
}

/** Loads as many documents as are shown or awaited; `moved`: a file's state changed. */
async function pollCollection(name) {
  const expected = uploads.expected(name) // files that arrive later may be missing from the response
  const enough = found => {
    const known = new Set(found.map(({ doc_id }) => doc_id))
    return (name !== collection || (!isFiltered() && found.length >= shown)) && expected.every(row => row.document === null || known.has(row.docId))
  }
  const { documents, more } = await listDocuments(name, enough)
  const byId = new Map(documents.map(found => [found.doc_id, found]))
  for (const row of expected) {
    if (byId.has(row.docId)) row.learn(byId.get(row.docId))
    else if (row.isDue) row.learn(await findDocument(row.docId))
  }
  return { documents, more, moved: expected.some(({ state }) => state !== 'reading') }
}

async function showNow() {
  const name = collection
  const { documents, more, moved } = await pollCollection(name)
  if (name !== collection) return moved // another collection was selected meanwhile
  const before = { newest, ready, phase }
  newest = Math.max(0, ...documents.map(({ updated_at }) => updated_at))
  ready = documents.filter(({ state }) => state === 'READY').length
  listed = { documents, more }
  if (!more) onCount(name, { documents: ready, reading: documents.filter(found => !isSettled(found)).length })
  const dropped = showFound()
  const now = await phaseOf(documents)
  if (name !== collection) return moved
  list.dataset.vectors = now === 'still' ? 'all' : 'some'
  phase = now
  if (dropped) showRestorable()
  if (dropped || (before.ready === 0 && ready > 0) || (before.phase !== now && now !== 'reading')) onChange(name)
  return moved || newest !== before.newest
}

async function phaseOf(documents) {
  if (!documents.every(isSettled) || uploads.expected(collection).length > 0) return 'reading'
  const one = documents.find(({ state }) => state === 'READY')
  const vectors = one && (await findDocument(one.doc_id))?.vectors // over all documents
  const missing = vectors && vectors.done < vectors.total
  say($('vectors'), 'vectors', missing ? vectors : {}).hidden = !missing
  return missing ? 'meaning' : 'still'
}

// --- the list ----------------------------------------------------------------------------------

const isFiltered = () => filter.value.trim() !== ''

/** Shows the listed documents whose title and file name hold the words of the filter. → whether a shown one is no longer listed. */
function showFound() {
  const { documents, more } = listed
  const isPartial = more && isFiltered() // the others are being loaded
  const matches = holding(filter.value)
  const found = failedFirst(documents.filter(({ title, file_name: name }) => matches(`${title} ${name}`)))
  const gone = showRows(found.slice(0, shown))
  filter.closest('label').hidden = documents.length < FILTERED && !filter.value
  $('more-documents').hidden = found.length <= shown && (isFiltered() || !more)
  say($('no-documents'), documents.length > 0 ? 'documents_none_found' : 'no_documents').hidden = found.length > 0 || isPartial
  if (!isPartial) announce(found.length)
  const all = new Set(documents.map(({ doc_id }) => doc_id))
  return gone.some(docId => !all.has(docId))
}

/** What somebody has to see to, also long after it was added. */
const failedFirst = documents => [...documents].sort((one, other) => (other.state === 'FAILED') - (one.state === 'FAILED'))

/** Once for each search, so that polls do not replace what else the status says. */
function announce(n) {
  const now = filter.value.trim()
  if (now === announced) return
  announced = now
  if (now) say($('documents-status'), 'documents_found', { n })
  else $('documents-status').replaceChildren()
}

/** Updates the list to these documents, in this order, without moving rows unnecessarily. → the ids of the rows that were dropped. */
function showRows(documents) {
  const wanted = new Set(documents.map(({ doc_id }) => doc_id))
  const gone = [...rows.keys()].filter(docId => !wanted.has(docId))
  for (const docId of gone) drop(docId)
  let next = list.firstElementChild
  for (const found of documents) {
    const row = rowOf(found)
    row.show(found)
    if (row.element === next) next = next.nextElementSibling
    else list.insertBefore(row.element, next)
  }
  return gone
}

function rowOf({ doc_id: docId }) {
  if (!rows.has(docId)) rows.set(docId, new DocumentRow({ onRemoved: removed, onRetried: () => pollSoon(SHORT_MS) }))
  return rows.get(docId)
}

function drop(docId) {
  const element = rows.get(docId)?.element
  if (!element) return // the list was reloaded during the deletion
  if (element.contains(document.activeElement)) $('documents-title').focus()
  element.remove()
  rows.delete(docId)
}

function removed({ document: { doc_id: docId, title } }) {
  drop(docId)
  uploads.deleted(docId)
  say($('documents-status'), 'status_removed', { title })
  onChange(collection)
  showRestorable()
  pollSoon(SHORT_MS) // another document may take its place
}

function showProblem({ message }) {
  const line = $('no-documents')
  line.hidden = false
  delete line.dataset.i18n
  line.textContent = message
}

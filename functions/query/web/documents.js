// The list of an index's documents. One look at the server tells the list and the files on their way in what became of all.

import { DocumentRow } from './document_row.js'
import { $, say } from './dom.js'
import { findDocument, isSettled, listDocuments } from './listing.js'
import { chosenReaders } from './readers.js'
import { UploadTable } from './upload_table.js'

const PAGE = 50
const MANY = 10 // files on their way: then looks are rarer
const SHORT_MS = 300
const LONG_MS = 1500
const LONGEST_MS = 6000

const list = $('document-list')
const rows = new Map() // doc_id → DocumentRow, in the order of the list
let collection = ''
let shown = PAGE
let newest = 0 // when one of the listed documents was last changed
let ready = null // how many of them answer; null = not looked yet
let phase = 'still' // 'reading' while documents are unsettled, then 'meaning' until all vectors are there
let wait = SHORT_MS
let timer = 0 // 0 = no look is planned
let due = 0 // when it is
let looks = Promise.resolve()
let onChange = () => {}

const uploads = new UploadTable(() => {
  phase = 'reading'
  lookSoon(pace())
})

/** `changed(collection)` is called when documents became READY, have all their vectors, or were deleted. */
export function watchDocuments(changed) {
  onChange = changed
  $('more-documents').addEventListener('click', () => {
    shown += PAGE
    look()
  })
  document.addEventListener('visibilitychange', () => document.hidden || look())
}

export async function showDocuments(name) {
  if (name !== collection) {
    collection = name
    shown = PAGE
    phase = 'still'
    ready = null
    rows.clear()
    list.replaceChildren()
  }
  await look()
}

/** Sends files `{file, path}` into the index that is shown. */
export function addFiles(items) {
  uploads.add(items, collection, chosenReaders(), newest)
}

// --- looking -----------------------------------------------------------------------------------

/** One look after the other; resolves after its own. */
function look() {
  clearTimeout(timer)
  timer = 0
  return (looks = looks.then(lookAround))
}

/** Within `ms`: a look that is planned for an earlier time stands. */
function lookSoon(ms) {
  const at = performance.now() + ms
  if (timer && due <= at) return
  clearTimeout(timer)
  timer = setTimeout(look, ms)
  due = at
}

const pace = () => (uploads.expected(collection).length > MANY ? LONG_MS : SHORT_MS)

async function lookAround() {
  const started = performance.now()
  let moved = false
  try {
    for (const name of uploads.collections()) if (name !== collection) moved = (await lookInto(name)).moved || moved
    moved = (await showNow()) || moved
  } catch (problem) {
    tellProblem(problem)
  }
  wait = moved ? pace() : Math.min(wait * 1.6, LONGEST_MS)
  const took = performance.now() - started
  if (phase !== 'still' || uploads.collections().size > 0) lookSoon(Math.max(wait, 2 * took))
}

/** Reads a collection as far as it is shown and awaited; `moved`: a file's state changed. */
async function lookInto(name) {
  const expected = uploads.expected(name) // what arrives from now on may be missing in the answer
  const enough = found => {
    const known = new Set(found.map(({ doc_id }) => doc_id))
    return (name !== collection || found.length >= shown) && expected.every(row => row.document === null || known.has(row.docId))
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
  const { documents, more, moved } = await lookInto(name)
  if (name !== collection) return moved // another index was chosen meanwhile
  const before = { newest, ready, phase }
  newest = Math.max(0, ...documents.map(({ updated_at }) => updated_at))
  ready = documents.filter(({ state }) => state === 'READY').length
  const dropped = showRows(documents.slice(0, shown))
  $('more-documents').hidden = !more && documents.length <= shown
  const now = await phaseOf(documents)
  if (name !== collection) return moved
  list.dataset.vectors = now === 'still' ? 'all' : 'some'
  phase = now
  if (dropped || (before.ready === 0 && ready > 0) || (before.phase !== now && now !== 'reading')) onChange(name)
  return moved || newest !== before.newest
}

async function phaseOf(documents) {
  if (!documents.every(isSettled) || uploads.expected(collection).length > 0) return 'reading'
  const one = documents.find(({ state }) => state === 'READY')
  const vectors = one && (await findDocument(one.doc_id))?.vectors // of all documents together
  const missing = vectors && vectors.done < vectors.total
  say($('vectors'), 'vectors', missing ? vectors : {}).hidden = !missing
  return missing ? 'meaning' : 'still'
}

// --- the list ----------------------------------------------------------------------------------

/** Brings the list to these documents, in this order, and moves no row that may stay. → whether one was dropped. */
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
  say($('no-documents'), 'no_documents').hidden = documents.length > 0
  return gone.length > 0
}

function rowOf({ doc_id: docId }) {
  if (!rows.has(docId)) rows.set(docId, new DocumentRow({ onRemoved: removed, onRetried: () => lookSoon(SHORT_MS) }))
  return rows.get(docId)
}

function drop(docId) {
  const element = rows.get(docId)?.element
  if (!element) return // the list was read again while it was being deleted
  if (element.contains(document.activeElement)) $('documents-title').focus()
  element.remove()
  rows.delete(docId)
}

function removed({ document: { doc_id: docId, title } }) {
  drop(docId)
  uploads.deleted(docId)
  say($('documents-status'), 'status_removed', { title })
  onChange(collection)
  lookSoon(SHORT_MS) // a further one may take its place
}

function tellProblem({ message }) {
  const line = $('no-documents')
  line.hidden = false
  delete line.dataset.i18n
  line.textContent = message
}

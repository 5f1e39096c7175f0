// The list of an index's documents, and the files that are on their way into it.

import { call } from './api.js'
import { DocumentRow, hasAllVectors } from './document_row.js'
import { $, say } from './dom.js'
import { t } from './i18n.js'
import { isSettled, sendFile, untilSettled } from './uploads.js'

const PAGE = 50
const AT_ONCE = 2 // uploads
const REFRESH_MS = 1000

const list = $('document-list')
const rows = new Map() // doc_id → DocumentRow
let collection = ''
let after = null
let timer = 0
let wasMoving = false
let onChange = () => {}

/** `changed(collection)` is called when a document became READY, has all its vectors, or was deleted. */
export function watchDocuments(changed) {
  onChange = changed
  $('more-documents').addEventListener('click', () => load(after))
}

export async function showDocuments(name) {
  if (name !== collection) {
    collection = name
    wasMoving = false
    rows.clear()
    list.replaceChildren()
  }
  await load(null)
}

/** Lists one page; later pages are appended, the first one brings known rows up to date. */
async function load(from) {
  clearTimeout(timer)
  const name = collection
  const query = new URLSearchParams({ collection: name, limit: PAGE, ...(from ? { after: from } : {}) })
  let page
  try {
    page = await call('GET', `/documents?${query}`)
  } catch (problem) {
    $('no-documents').hidden = false
    delete $('no-documents').dataset.i18n
    $('no-documents').textContent = problem.message
    return
  }
  if (name !== collection) return // another index was chosen meanwhile
  for (const found of page.data) rowOf(found).show(found)
  if (from || rows.size <= PAGE) {
    after = page.last_id
    $('more-documents').hidden = !page.has_more
  }
  tellIfEmpty()
  const moving = page.data.some(isMoving)
  if (moving) timer = setTimeout(() => load(null), REFRESH_MS)
  else if (wasMoving) onChange(name) // what may be asked can be told better now
  wasMoving = moving
}

/** Unsettled, or its vectors are still being made. */
const isMoving = found => !isSettled(found) || (found.state === 'READY' && !hasAllVectors(found))

function rowOf(found) {
  const known = rows.get(found.doc_id)
  if (known) return known
  const row = new DocumentRow(found.title, removed)
  rows.set(found.doc_id, row)
  list.append(row.element)
  return row
}

function removed(row) {
  if (row.document) {
    rows.delete(row.document.doc_id)
    announce('status_removed', { title: row.title })
    onChange(collection)
  }
  tellIfEmpty()
  $('documents-title').focus()
}

function tellIfEmpty() {
  say($('no-documents'), 'no_documents').hidden = list.childElementCount > 0
}

/** Sends files into the index that is shown, a few at once; each becomes a row at the top of the list. */
export async function addFiles(files) {
  const name = collection
  const waiting = files.map(file => {
    const row = new DocumentRow(file.name, removed)
    row.waiting()
    return { file, row }
  })
  list.prepend(...waiting.map(({ row }) => row.element))
  tellIfEmpty()
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await add(next.file, name, next.row)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  if (name === collection) await load(null)
}

/** A dropped folder cannot be sent; it says so in the list instead of failing later. */
export function refuseFolder(title) {
  const row = new DocumentRow(title, removed)
  row.fail(t('upload_folder'), t('upload_folder_remedy'))
  list.prepend(row.element)
  tellIfEmpty()
}

async function add(file, name, row) {
  try {
    row.sending(0)
    const docId = await sendFile(file, name, share => row.sending(share))
    adopt(docId, row, name)
    const found = await untilSettled(docId, state => row.show(state))
    if (found.state === 'DELETED') return row.element.remove()
    if (found.state === 'READY') announce('status_ready', { title: row.title })
    else announce('status_not_ready', { title: row.title, reason: found.reason ?? '' })
  } catch (problem) {
    row.fail(problem.message)
    announce('status_not_ready', { title: row.title, reason: problem.message })
  }
  onChange(name)
}

/** The same file again is the same document: its older row makes way. */
function adopt(docId, row, name) {
  if (name !== collection) return
  rows.get(docId)?.element.remove()
  rows.set(docId, row)
}

const announce = (key, values) => say($('documents-status'), key, values)

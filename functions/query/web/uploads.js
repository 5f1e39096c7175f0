// A file's way in: ask where to, send it with progress, then wait until it is READY or FAILED.

import { call, Problem, problemOf } from './api.js'
import { t } from './i18n.js'

const FIRST_WAIT_MS = 300
const LONGEST_WAIT_MS = 2000
const PATIENCE_MS = 30_000 // a store tells of a new file a little late: until then a 404 means "not yet"

/** Sends one file; `onProgress(0..1)`. → the document's id. */
export async function sendFile(file, collection, onProgress) {
  const target = await call('POST', '/uploads', { file_name: file.name, size: file.size, index_name: collection, permission_groups: [] })
  const form = new FormData()
  for (const [name, value] of Object.entries(target.fields)) form.append(name, value)
  form.append('file', file) // last: a store ignores what follows the file
  await post(target.url, form, onProgress)
  return target.doc_id
}

/** Asks after a document until it is settled; `onState(document)` at each answer. → the last one. */
export async function untilSettled(docId, onState) {
  const started = Date.now()
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 1.5, LONGEST_WAIT_MS)) {
    try {
      const found = await call('GET', `/documents/${encodeURIComponent(docId)}`)
      onState(found)
      if (isSettled(found)) return found
    } catch (problem) {
      if (problem.status !== 404 || Date.now() - started > PATIENCE_MS) throw problem
    }
    await new Promise(resume => setTimeout(resume, wait))
  }
}

export const isSettled = ({ state }) => state !== 'RECEIVED' && state !== 'PROCESSING'

/** XMLHttpRequest, because fetch cannot tell how much of a body was sent. */
function post(url, form, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.upload.onprogress = ({ loaded, total }) => onProgress(total ? loaded / total : 0)
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve()
      else if (request.getResponseHeader('content-type')?.includes('json')) reject(problemOf(request.status, request.responseText))
      else reject(new Problem(t('upload_failed', { status: String(request.status) }), { status: request.status }))
    }
    request.onerror = () => reject(new Problem(t('error_unreachable')))
    request.open('POST', url)
    request.send(form)
  })
}

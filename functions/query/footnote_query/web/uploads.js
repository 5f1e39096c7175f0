// Uploads a file: requests an upload target, then sends the file with progress. In AWS the target is a bucket.

import { call, here, Problem, problemOf, signedIn, unreachable } from './api.js'
import { t } from './i18n.js'

/** Uploads one file under its path relative to the picked folder. `into`: fields of POST /uploads that say where it goes, and who reads it;
    `onProgress(0..1)`. → the document's id. */
export async function sendFile({ file, path }, into, { signal, onProgress }) {
  if (!file) throw new Problem(t('upload_unreadable'))
  const target = await call('POST', '/uploads', { file_name: path, size: file.size, ...into })
  const form = new FormData()
  for (const [name, value] of Object.entries(target.fields)) form.append(name, value)
  form.append('file', file) // last, because S3 ignores fields after the file
  await signedIn(() => post(here(target.url), form, { signal, onProgress }))
  return target.doc_id
}

/** XMLHttpRequest, because fetch does not report upload progress. */
function post(url, form, { signal, onProgress }) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const toBucket = new URL(url, location).origin !== location.origin
    const request = new XMLHttpRequest()
    signal.addEventListener('abort', () => request.abort())
    request.upload.onprogress = ({ loaded, total }) => onProgress(total ? loaded / total : 0)
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve()
      else if (request.getResponseHeader('content-type')?.includes('json')) reject(problemOf(request.status, request.responseText))
      else reject(refusal(request, toBucket))
    }
    request.onabort = () => reject(signal.reason)
    request.onerror = async () => reject(new Problem((await canBeRead(form.get('file'))) ? t(toBucket && navigator.onLine ? 'upload_no_bucket' : unreachable()) : t('upload_unreadable')))
    request.open('POST', url)
    request.send(form)
  })
}

/** S3 gives the reason as a code in XML. Its status is dropped, so that a 401 does not open the sign-in dialog. */
function refusal({ status, responseText }, byBucket) {
  const code = byBucket && /<Code>(\w+)<\/Code>/.exec(responseText)?.[1]
  if (code === 'EntityTooLarge') return new Problem(t('upload_too_large'))
  if (code === 'AccessDenied' && responseText.includes('expired')) return new Problem(t('upload_expired'))
  return new Problem(t('upload_failed', { status: code || String(status) }), byBucket ? {} : { status })
}

/** A file that was changed, moved or deleted since it was picked fails like a lost connection. */
const canBeRead = file => file.slice(0, 1).arrayBuffer().then(() => true, () => false)

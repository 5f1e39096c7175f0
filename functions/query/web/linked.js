// A citation's link, followed from a chat or a mail: opens what the page's address names, `/?doc_id=…&chunk_id=…#page=3`.

import { call } from './api.js'
import { openSource } from './source.js'

/** Whoever has to sign in is asked to first. Without such an address, nothing happens. */
export async function openLinked() {
  const named = new URLSearchParams(location.search)
  const doc_id = named.get('doc_id')
  if (!doc_id) return
  const page = Number(/^#page=(\d{1,6})$/.exec(location.hash)?.[1]) || null
  const found = await call('GET', `/documents/${encodeURIComponent(doc_id)}`).catch(() => null)
  await openSource({ doc_id, chunk_id: named.get('chunk_id'), page, title: found?.title ?? doc_id, linked: true })
}

// Opens the citation link in the page's address, `/?doc_id=…&chunk_id=…#page=3`, as followed from a chat or an e-mail.

import { call } from './api.js'
import { openSource } from './source.js'

/** Asks for sign-in first if necessary. Does nothing without such an address. */
export async function openLinked() {
  const named = new URLSearchParams(location.search)
  const doc_id = named.get('doc_id')
  if (!doc_id) return
  const page = Number(/^#page=(\d{1,6})$/.exec(location.hash)?.[1]) || null
  const found = await call('GET', `/documents/${encodeURIComponent(doc_id)}`).catch(() => null)
  await openSource({ doc_id, chunk_id: named.get('chunk_id'), page, title: found?.title ?? doc_id, linked: true })
}

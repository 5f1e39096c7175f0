// Opens what the page's address names: a citation, `/?doc_id=…&chunk_id=…#page=3`, as followed from a chat or an e-mail, also with the
// cited sentence's place in the passage, `&bounds=12-80`, as followed from a shared conversation; or a view,
// `/?open=feedback`, as followed from the administration.

import { call } from './api.js'
import { $ } from './dom.js'
import { openSource } from './source.js'

const VIEWS = { feedback: 'show-feedback', voices: 'show-voices' }

/** Asks for sign-in first if necessary. Does nothing without such an address. */
export async function openLinked() {
  const named = new URLSearchParams(location.search)
  const view = $(VIEWS[named.get('open')])
  if (view && !view.hidden) return view.click()
  const doc_id = named.get('doc_id')
  if (!doc_id) return
  const page = Number(/^#page=(\d{1,6})$/.exec(location.hash)?.[1]) || null
  const sentence = /^(\d{1,7})-(\d{1,7})$/.exec(named.get('bounds'))?.slice(1).map(Number)
  const found = await call('GET', `/documents/${encodeURIComponent(doc_id)}`).catch(() => null)
  await openSource({ doc_id, chunk_id: named.get('chunk_id'), page, bounds: sentence && [sentence], title: found?.title ?? doc_id, linked: true })
}

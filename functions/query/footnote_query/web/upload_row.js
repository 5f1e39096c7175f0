// One upload: waiting → sending → reading → ready, there, failed, cancelled or deleted.

import { call } from './api.js'
import { explain, factsOf, saySize } from './document_facts.js'
import { $, el, label, say } from './dom.js'
import { t } from './i18n.js'
import { isSettled } from './listing.js'
import { sendFile } from './uploads.js'

export const ARRIVAL_TIMEOUT_MS = 120_000 // a bucket announces a new file through a queue: until then "not found" means "not yet"
const LONGEST_PAUSE_MS = 15_000

export class UploadRow {
  #item
  #abort = new AbortController()
  #arrivedAt = 0
  #askAt = 0
  #onState

  /** `since`: the latest change of any document listed before. `onState(row, before)`: called after each change of `state`.
      `onAgain(row)`: called when the file must be sent (again). */
  constructor(item, { collection, readers, since, onState, onAgain }) {
    this.#item = item
    this.#onState = onState
    this.collection = collection
    this.readers = readers
    this.since = since
    this.onAgain = onAgain
    this.state = 'waiting'
    this.docId = null
    this.document = null
    this.why = {}
    const slash = item.path.lastIndexOf('/') + 1
    const name = el('bdi', {}, slash ? el('span', { class: 'folder' }, item.path.slice(0, slash)) : null, item.path.slice(slash))
    this.name = el('th', { role: 'rowheader', scope: 'row', class: 'name', title: item.path }, name)
    this.size = el('td', { role: 'cell', class: 'size' })
    this.what = el('td', { role: 'cell', class: 'what' })
    this.progress = el('progress', { max: 1, value: 0, 'aria-label': item.path })
    this.note = el('div', { class: 'why', hidden: true })
    this.button = el('button', { type: 'button', onclick: () => this.#act() })
    this.element = el('tr', { role: 'row' }, this.name, this.size, this.what,
      el('td', { role: 'cell', class: 'act' }, this.button), el('td', { role: 'cell', class: 'note-cell' }, this.note))
    if (item.file) saySize(this.size, item.file.size)
    this.#show()
  }

  get path() {
    return this.#item.path
  }

  get bytes() {
    return this.#item.file?.size ?? 0
  }

  /** Uploads the file. Never throws. */
  async send() {
    this.#abort = new AbortController()
    const onProgress = share => {
      this.progress.value = share
      say(this.what.firstChild, 'upload_sending', { percent: Math.round(share * 100) })
    }
    this.#become('sending')
    try {
      const into = { index_name: this.collection, permission_groups: this.readers }
      this.docId = await sendFile(this.#item, into, { signal: this.#abort.signal, onProgress })
      this.#arrived()
    } catch (problem) {
      if (this.#abort.signal.aborted) this.#become('cancelled')
      else this.#fail(problem)
    }
  }

  /** Cancels a pending upload; a file that has arrived stays. */
  cancel() {
    if (this.state === 'waiting') this.#become('cancelled')
    else if (this.state === 'sending') this.#abort.abort()
  }

  /** Whether to poll for the document by its id; the interval grows while there is none. */
  get isDue() {
    return Date.now() >= this.#askAt
  }

  /** Takes the server's document for this upload; null = not found. */
  learn(found) {
    if (this.state !== 'reading') return // deleted meanwhile
    if (found === null) return this.#wait()
    const known = found.doc_id !== this.docId || found.updated_at <= this.since
    this.docId = found.doc_id
    this.document = found
    this.why = found
    if (!isSettled(found)) this.#show()
    else if (found.state === 'READY') this.#become(known ? 'there' : 'ready')
    else this.#become(found.state.toLowerCase())
  }

  deleted() {
    this.#become('deleted')
  }

  #arrived() {
    this.#arrivedAt = Date.now()
    this.#askAt = 0
    this.#become('reading')
  }

  #wait() {
    const waited = Date.now() - this.#arrivedAt
    if (waited > ARRIVAL_TIMEOUT_MS) return this.#fail(new Error(t('upload_lost')))
    this.#askAt = Date.now() + Math.min(waited / 2, LONGEST_PAUSE_MS)
    say(this.what.firstChild, 'upload_arrived')
  }

  #fail({ message }) {
    this.why = { reason: message }
    this.#become('failed')
  }

  #become(state) {
    const before = this.state
    this.state = state
    if (state === 'waiting' || state === 'sending') this.why = {}
    this.#show()
    this.#onState(this, before)
  }

  #act() {
    if (this.state === 'failed' || this.state === 'cancelled') this.#again()
    else this.cancel()
  }

  /** Retries the processing; uploads the file again if the server does not have it. */
  async #again() {
    const { document } = this
    this.document = null
    if (document) {
      try {
        this.docId = (await call('POST', `/documents/${encodeURIComponent(document.doc_id)}/retry`)).doc_id
        this.since = document.updated_at
        return this.#arrived()
      } catch (problem) {
        if (problem.status !== 404) return this.#fail(problem)
      }
    }
    this.#become('waiting')
    this.onAgain(this)
  }

  #show() {
    const hadFocus = document.activeElement === this.button
    this.element.dataset.state = this.state
    this.what.replaceChildren(...this.#facts())
    explain(this.note, this.why)
    const action = { waiting: 'upload_cancel', sending: 'upload_cancel', failed: 'upload_again', cancelled: 'upload_again' }[this.state]
    this.button.hidden = !action
    if (hadFocus && !action) $('uploads-title').focus()
    if (action) label(this.button, action, { title: this.path }).className = `quiet icon ${action === 'upload_again' ? 'again' : 'cross'}`
  }

  #facts() {
    if (this.state === 'sending') return [say(el('span'), 'upload_sending', { percent: 0 }), this.progress]
    if (this.state === 'reading') return factsOf(this.document ?? { state: 'RECEIVED' })
    if (this.state === 'ready') return factsOf(this.document)
    const state = say(el('span', { class: 'state' }), `result_${this.state}`)
    return this.state === 'there' ? [state, ...factsOf(this.document).slice(1)] : [state]
  }
}

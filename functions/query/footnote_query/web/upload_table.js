// The files that were added last: one row per file, a summary and a progress bar. Rows of files that are in the list of documents leave after a moment.

import { $, say } from './dom.js'
import { toCsv } from './csv.js'
import { download } from './download.js'
import { loadTranslations, t, translated } from './i18n.js'
import { UploadRow } from './upload_row.js'

const AT_ONCE = 3
const KEPT_MS = 10_000 // so long are rows of read files shown
const MOVING = ['waiting', 'sending', 'reading']
const LISTED = ['ready', 'there', 'deleted']

export class UploadTable {
  #rows = []
  #waiting = []
  #sending = 0
  #tally = {} // state → number of rows
  #leaving = 0 // timer
  #onArrival

  /** `onArrival()`: called when a file has arrived at the server or is processed again. */
  constructor(onArrival) {
    this.#onArrival = onArrival
    $('uploads-failed').addEventListener('change', () => this.#filter())
    $('uploads-list').addEventListener('click', () => this.#download())
    $('uploads-cancel').addEventListener('click', () => this.#cancelAll())
    $('uploads-dismiss').addEventListener('click', () => this.#dismiss())
    addEventListener('beforeunload', event => this.#sending && event.preventDefault())
  }

  /** Uploads files `{file, path}` for these permission groups, a few at a time. `since`: the latest change of any listed document. */
  add(items, collection, readers, since) {
    if (this.#count(...MOVING) === 0) this.#clear() // what is counted is added together
    const rows = items.map(item => new UploadRow(item, { collection, readers, since, onState: (...change) => this.#changed(...change), onAgain: row => this.#send([row]) }))
    this.#rows.unshift(...rows)
    this.#tally.waiting = this.#count('waiting') + rows.length
    $('uploads-rows').prepend(...rows.map(({ element }) => element))
    $('uploads').hidden = false
    this.#summarize()
    this.#send(rows)
  }

  /** Rows of files that have arrived and are still being processed. */
  expected(collection) {
    return this.#rows.filter(row => row.state === 'reading' && row.collection === collection)
  }

  /** The collections of these rows. */
  collections() {
    return new Set(this.#rows.filter(({ state }) => state === 'reading').map(({ collection }) => collection))
  }

  deleted(docId) {
    for (const row of this.#rows) if (row.docId === docId) row.deleted()
  }

  #send(rows) {
    this.#waiting.push(...rows)
    while (this.#sending < AT_ONCE && this.#waiting.length > 0) this.#sendOne(this.#waiting.shift())
  }

  async #sendOne(row) {
    if (row.state !== 'waiting') return // cancelled
    this.#sending += 1
    await row.send()
    this.#sending -= 1
    this.#send([])
  }

  #changed(row, before) {
    this.#tally[before] -= 1
    this.#tally[row.state] = this.#count(row.state) + 1
    this.#summarize()
    if (row.state === 'reading') this.#onArrival()
    clearTimeout(this.#leaving)
    if (this.#count(...MOVING) > 0) return
    this.#announce(row)
    this.#leaving = setTimeout(() => this.#leave(), KEPT_MS)
  }

  /** Removes the rows of files that the list of documents shows, unless somebody is at them. They stay in the summary and the CSV. */
  #leave() {
    if ($('uploads').matches(':hover, :focus-within')) return (this.#leaving = setTimeout(() => this.#leave(), KEPT_MS))
    for (const { state, element } of this.#rows) if (LISTED.includes(state)) element.remove()
    $('uploads').hidden = $('uploads-rows').childElementCount === 0
  }

  #count(...states) {
    return states.reduce((sum, state) => sum + (this.#tally[state] ?? 0), 0)
  }

  #summarize() {
    const [all, failed, cancelled] = [this.#rows.length, this.#count('failed'), this.#count('cancelled')]
    const [listed, known, settled] = [this.#count(...LISTED), this.#count('there'), all - this.#count(...MOVING)]
    const isOver = settled === all
    const parts = $('uploads-title').children
    if (isOver) say(parts[0], 'uploads_added', { n: listed - known })
    else say(parts[0], 'uploads_done', { done: listed, all })
    say(parts[1], 'uploads_there', { n: known }).hidden = !isOver || known === 0
    say(parts[2], 'uploads_failed', { n: failed }).hidden = failed === 0
    say(parts[3], 'uploads_cancelled', { n: cancelled }).hidden = cancelled === 0
    $('uploads-progress').max = all
    $('uploads-progress').value = settled
    $('uploads').classList.toggle('over', isOver)
    const unsent = this.#count('waiting', 'sending') > 0
    const hadFocus = document.activeElement === $('uploads-cancel')
    $('uploads-cancel').hidden = !unsent
    $('uploads-dismiss').hidden = unsent
    if (hadFocus && !unsent) $('uploads-dismiss').focus()
    $('uploads-filter').hidden = failed === 0
    if (failed === 0) this.#filter($('uploads-failed').checked = false)
  }

  #announce(row) {
    const values = { title: row.path, reason: row.why.reason ?? '', n: this.#count('ready', 'deleted'), known: this.#count('there'), failed: this.#count('failed') }
    const one = row.state === 'failed' ? 'status_not_ready' : 'status_ready'
    say($('documents-status'), this.#rows.length === 1 && row.state !== 'cancelled' ? one : 'status_uploads', values)
  }

  #filter(onlyFailed = $('uploads-failed').checked) {
    $('uploads-table').classList.toggle('only-failed', onlyFailed)
  }

  #cancelAll() {
    this.#waiting = []
    for (const row of this.#rows) row.cancel()
  }

  #dismiss() {
    this.#clear()
    $('documents-title').focus()
  }

  #clear() {
    clearTimeout(this.#leaving)
    this.#rows = []
    this.#tally = {}
    $('uploads-rows').replaceChildren()
    $('uploads').hidden = true
  }

  async #download() {
    await loadTranslations()
    const head = ['column_file', 'column_bytes', 'column_state', 'column_pages', 'column_passages', 'column_reason', 'column_remedy'].map(key => t(key))
    const rows = this.#rows.map(({ path, bytes, state, document, why }) =>
      [path, bytes, t(`result_${state}`), document?.pages, document?.chunks, ...[why.reason, why.remedy].map(said => translated(said ?? ''))])
    download('footnote-files.csv', toCsv([head, ...rows]), 'text/csv;charset=utf-8')
  }
}

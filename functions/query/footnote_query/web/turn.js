// One question and its answer: an article built from the stream's events or from a stored turn.

import { answerOf, askAgain, changeQuestion, quotedMeanwhile } from './answer.js'
import { callOnce } from './api.js'
import { askDocuments, writeQuestion } from './composer.js'
import { $, drawn, el, label, say, sayTranslated } from './dom.js'
import { LiveText, replaceInPieces } from './live_text.js'
import { announced, standsIn } from './meanwhile.js'
import { wayToChange, waysToConnect } from './model.js'
import { StepList } from './steps.js'
import { ask } from './stream.js'

const OPENING_MS = 2000 // longest wait for the id of a stream that is to be stopped
const NO_MODEL = 'urn:footnote:no-model'
const LEADS = { [NO_MODEL]: 'wants_model', 'urn:footnote:model-unavailable': 'model_silent' }

export class Turn {
  #abort = new AbortController()
  #id = null // of the stream's first event, which names its trace
  #wantsStop = false
  #frame = 0
  #steps = new StepList()
  #corrected = el('div')
  #quote = null // the event
  #meanwhile = el('details', { class: 'meanwhile', hidden: true }) // open until the model's answer begins
  #body = el('div', { class: 'answer' })
  #text = new LiveText(this.#body)
  #thoughts = document.createTextNode('')
  #thinking = el('details', { class: 'thoughts', hidden: true }, say(el('summary'), 'thinking'), el('p', {}, this.#thoughts))
  #mode = 'rag'
  #link = say(el('p', { class: 'note link', hidden: true }), 'connection_lost')
  #after = el('div', { class: 'after' })

  constructor(question) {
    this.question = question
    this.wasLeft = false // reads on, and shows nothing
    this.record = null // the finished turn, as answerOf takes it
    this.isSettled = false // answered; asking again makes a new turn
    const pencil = label(el('button', { type: 'button', class: 'quiet icon pencil', onclick: () => writeQuestion(question) }), 'edit_question')
    const heading = el('div', { class: 'asked' }, el('h2', { class: 'question' }, question), pencil)
    this.element = el('article', { class: 'turn' }, heading, this.#corrected, this.#steps.element, this.#meanwhile, this.#thinking, this.#body, this.#link, this.#after)
  }

  /** A stored turn. */
  static stored(found) {
    const turn = new Turn(found.question)
    turn.#steps.element.remove()
    turn.#meanwhile.remove()
    if (found.status === 'idle') turn.#showFailure('interrupted')
    else if (found.status === 'error' && found.outcome !== 'blocked') turn.#showFailure('unanswered')
    else turn.#show(found)
    return turn
  }

  /** Sends `request`, the body of POST /ask/stream, and shows events until the answer is complete, stopped or failed. Never throws.
   * `from` and `onOpen` as in stream.js. */
  async run(request, { from = null, onOpen } = {}) {
    announce('status_started')
    this.#mode = request.mode ?? 'rag'
    this.#id = from
    const opened = id => {
      this.#id = id
      if (this.#wantsStop) this.#end()
      else onOpen?.(id)
    }
    try {
      const events = ask(request, { signal: this.#abort.signal, from, onOpen: opened, onLink: up => this.wasLeft || this.#showLink(up) })
      for await (const event of events) if (!this.wasLeft) await this.#take(event)
      if (this.#wantsStop) this.#stopped()
    } catch (error) {
      if (!this.wasLeft) this.#failed(error)
    }
    this.#link.hidden = true
    this.#steps.finish()
  }

  /** The user pressed stop: the server ends the model's call. It would take a closed connection for one that was lost. */
  stop() {
    this.#wantsStop = true
    if (this.#id) this.#end()
    else setTimeout(() => this.#abort.abort(), OPENING_MS)
  }

  /** The user opened another conversation, and may come back. The answer is read on: a stream that nobody reads is stopped. */
  leave() {
    this.wasLeft = true
  }

  #end() {
    callOnce('DELETE', `/ask/stream/${encodeURIComponent(this.#id.slice(0, this.#id.lastIndexOf('.')))}`).catch(() => {}) // it may have ended
    this.#abort.abort()
  }

  async #take(event) {
    if (event.type === 'step') this.#steps.begin({ name: event.content, stage: event.stage })
    else if (event.type === 'node') this.#steps.end(event)
    else if (event.type === 'quote') this.#showQuote(event)
    else if (event.type === 'token') this.#token(event.content)
    else if (event.type === 'think') this.#think(event.content)
    else if (event.type === 'done') await this.#finish(event)
    else if (event.type === 'error') this.#error(event)
  }

  #showQuote(quote) {
    if (this.#quote) return // a resumed stream repeats it
    this.#quote = quote
    const shown = drawn(() => quotedMeanwhile(quote), quote.content, note => [note])
    this.#meanwhile.hidden = false
    this.#meanwhile.open = this.#text.isEmpty
    follow(this.element, () => this.#meanwhile.replaceChildren(...shown))
    announce(...announced(quote))
  }

  #token(text) {
    if (this.#text.isEmpty) this.#foldQuote()
    this.#text.add(text)
    this.#frame ||= requestAnimationFrame(() => this.#showLive())
  }

  #showLive() {
    this.#frame = 0
    follow(this.element, () => this.#text.draw())
  }

  #think(text) {
    this.#thoughts.appendData(text)
    this.#thinking.hidden = false
  }

  #showLink(up) {
    const key = up ? 'connection_back' : navigator.onLine ? 'connection_lost' : 'connection_offline'
    const isNew = key !== this.#link.dataset.i18n || this.#link.hidden
    this.#link.hidden = up
    say(this.#link, key)
    if (!isNew) return
    if (!up) this.#reveal(this.#link)
    announce(key)
  }

  async #finish(done) {
    cancelAnimationFrame(this.#frame)
    const { body, after } = this.#record({ ...done, question: this.question, steps: this.#steps.ended, feedback: null })
    await replaceInPieces(this.#body, body)
    this.#showAfter(after)
    this.#steps.element.remove()
    if (standsIn(this.#quote, done)) this.#dropQuote()
    else if (this.#text.isEmpty) this.#foldQuote()
    const status = { closest: done.verdict?.because === 'likely' ? 'status_likely' : 'status_closest', nothing: 'status_nothing' }[done.tier]
    announce(status ?? (done.citations.length > 0 ? 'status_done' : 'status_done_none'), { n: done.citations.length })
  }

  /** Leaves the answer the room; what is quoted stays a click away. */
  #foldQuote() {
    const title = this.#meanwhile.firstElementChild
    const hadFocus = this.#meanwhile.contains(document.activeElement)
    this.#meanwhile.open = false
    if (hadFocus) title.focus({ preventScroll: true })
    if (title?.getBoundingClientRect().top < 0) title.scrollIntoView({ block: 'nearest' }) // the passages were scrolled through
  }

  /** The answer below says the same. */
  #dropQuote() {
    const hadFocus = this.#meanwhile.contains(document.activeElement)
    this.#meanwhile.remove()
    if (hadFocus) this.#body.querySelector('button')?.focus()
  }

  #show(record) {
    const { body, after } = this.#record(record)
    this.#body.replaceChildren(...body)
    this.#showAfter(after)
  }

  /** → `body`: the nodes of the answer; `after`: makes those below it. */
  #record(record) {
    this.record = record
    this.isSettled = true
    const { before, body, after } = drawn(() => answerOf(record), record.answer, note => ({ before: [], body: note, after: () => [] }))
    this.#corrected.replaceChildren(...before)
    this.#body.dataset.outcome = record.outcome
    return { body: body.nodeType === Node.DOCUMENT_FRAGMENT_NODE ? [...body.childNodes] : [body], after }
  }

  #showAfter(after) {
    this.#after.replaceChildren(...drawn(after, '', note => [note]))
    queueMicrotask(noticeOnce) // by then it is in the thread
  }

  /** Scrolls as far as needed to show a note below the text between the header and the question box. */
  #reveal(note) {
    if (this.#frame) this.#showLive() // the text that has arrived is above it
    note.scrollIntoView({ block: 'nearest' })
  }

  #stopped() {
    this.#after.append(el('p', { class: 'note' }, say(el('span'), 'stopped'), ' ', askAgain(this.question)))
    this.#reveal(this.#after.lastElementChild)
    announce('status_stopped')
  }

  #error({ problem, content, detail, final_response: partial }) {
    if (this.#text.isEmpty && partial) this.#token(partial)
    this.#failed({ message: detail || content, type: problem })
  }

  #failed({ message, traceId, status, type }) {
    if (this.record) return // the answer was already complete
    this.#link.hidden = true
    this.#showFailure(null, { message, traceId, status, type })
    this.#reveal(this.#after.lastElementChild)
    announce('status_failed', { detail: message })
  }

  #showFailure(key, { message, traceId, status, type } = {}) {
    const refused = status === 422 // so asking again is pointless
    const lead = key ?? (refused ? 'not_accepted' : LEADS[type])
    const detail = type === NO_MODEL || !message ? [] : [lead ? ' ' : null, sayTranslated(el('span'), message)]
    const text = el('span', {}, lead && say(el('span'), lead), ...detail)
    const wantsModel = type in LEADS && this.#mode !== 'rag' // this mode needs a model
    const ways = [refused ? changeQuestion(this.question) : askAgain(this.question), wantsModel && askDocuments(this.question)].filter(Boolean)
    const trace = traceId ? say(el('small'), 'trace', { id: traceId }) : null
    this.#after.append(el('p', { class: 'note failed' }, text, ...ways, ...(type === NO_MODEL ? waysToConnect() : type in LEADS ? [wayToChange()] : []), trace))
  }
}

/** A notice stands under the first of the answers to which it applies. */
function noticeOnce() {
  const said = new Set()
  for (const notice of document.querySelectorAll('#thread .notice')) {
    const text = notice.firstChild.textContent
    notice.hidden = said.has(text)
    said.add(text)
  }
}

const announce = (key, values) => say($('status'), key, values)

/** Keeps the end of the growing element in view, unless the user has scrolled away from it, but never at the price of its start. */
function follow(element, change) {
  const below = () => element.lastElementChild.getBoundingClientRect().bottom - $('ask').getBoundingClientRect().top
  const aligned = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) + parseFloat(getComputedStyle(element).scrollMarginTop)
  const above = () => element.getBoundingClientRect().top - aligned
  const follows = below() < 120
  change()
  if (follows) scrollBy(0, Math.max(0, Math.min(below(), above())))
}

// One question and its answer: an article that is built up from the events of the stream.

import { ask } from './api.js'
import { copyAnswer } from './copy.js'
import { $, el, label, say } from './dom.js'
import { feedbackOn } from './feedback.js'
import { knows, number } from './i18n.js'
import { renderAnswer, renderLive } from './markdown.js'
import { openPassage } from './passage.js'
import { StepList } from './steps.js'

export class Turn {
  #abort = new AbortController()
  #text = ''
  #thoughts = ''
  #frame = 0
  #done = null

  constructor(question) {
    this.question = question
    this.steps = new StepList()
    this.body = el('div', { class: 'answer' })
    this.thoughts = el('details', { class: 'thoughts', hidden: true }, say(el('summary'), 'thinking'), el('p'))
    this.after = el('div', { class: 'after' })
    const heading = el('h2', { class: 'question' }, question.query_text)
    this.element = el('article', { class: 'turn' }, heading, this.steps.element, this.thoughts, this.body, this.after)
  }

  /** Asks, and shows what comes until the answer is complete, stopped or failed. Never throws. */
  async run() {
    announce('status_started')
    try {
      for await (const event of ask(this.question, this.#abort.signal)) this.#take(event)
      if (this.#abort.signal.aborted) this.#stopped()
      else if (!this.#done) this.#failed('error_cut')
    } catch (error) {
      this.#failed(null, error)
    }
    this.steps.finish()
  }

  stop() {
    this.#abort.abort()
  }

  #take(event) {
    if (event.type === 'step') this.steps.begin(event.content)
    else if (event.type === 'node') this.steps.end(event)
    else if (event.type === 'token') this.#token(event.content)
    else if (event.type === 'think') this.#think(event.content)
    else if (event.type === 'done') this.#finish(event)
    else if (event.type === 'error') this.#error(event)
  }

  #token(text) {
    if (!this.#text) announce('status_writing')
    this.#text += text
    this.#frame ||= requestAnimationFrame(() => this.#showLive())
  }

  #showLive() {
    this.#frame = 0
    keepAtBottom(() => this.body.replaceChildren(renderLive(this.#text, () => el('sup', { class: 'dot' }, '•'))))
  }

  #think(text) {
    this.#thoughts += text
    this.thoughts.hidden = false
    this.thoughts.lastChild.textContent = this.#thoughts
  }

  #finish(done) {
    this.#done = done
    cancelAnimationFrame(this.#frame)
    this.body.replaceChildren(renderAnswer(done.answer, done.citations, n => el('sup', {}, this.#citation(n))))
    this.after.append(...this.#notes(done), ...this.#footnotes(done), ...this.#hits(done), this.#actions(done))
    announce('status_done', { n: done.citations.length })
  }

  #citation(n) {
    const cited = this.#done.citations.find(citation => citation.number === n)
    const button = el('button', { type: 'button', class: 'cite', onclick: () => this.#open(cited) }, String(n))
    const values = { number: String(n), title: cited.title, page: String(cited.page) }
    return label(button, cited.page == null ? 'citation' : 'citation_page', values)
  }

  #open(citation) {
    const hit = this.#done.hits.find(({ chunk_id }) => chunk_id === citation.chunk_id)
    openPassage(hit ?? { ...citation, headings: [], content: '' }, citation.snippet)
  }

  #notes({ degraded, persisted, warnings, notice }) {
    const known = [degraded && 'degraded', persisted === false && 'not_saved', ...(warnings ?? []).map(code => `warning_${code}`)].filter(Boolean)
    const notes = known.map(key => (knows(key) ? say(el('p', { class: 'note' }), key) : el('p', { class: 'note' }, key.replace('warning_', ''))))
    return notice ? [...notes, el('p', { class: 'notice' }, notice)] : notes
  }

  #footnotes({ citations }) {
    if (citations.length === 0) return []
    const rows = citations.map(cited => {
      const place = cited.page == null ? null : say(el('span', { class: 'page' }), 'page_short', { page: String(cited.page) })
      const title = el('span', { class: 'source' }, el('b', {}, cited.title), place)
      const snippet = el('span', { class: 'snippet' }, cited.snippet)
      const text = el('span', {}, title, snippet)
      return el('li', {}, el('button', { type: 'button', onclick: () => this.#open(cited) }, el('span', { class: 'number' }, String(cited.number)), text))
    })
    return [el('ol', { class: 'footnotes' }, ...rows)]
  }

  #hits({ hits, outcome }) {
    if (hits.length === 0) return []
    const title = outcome === 'refused' ? say(el('summary'), 'nearest') : say(el('summary'), 'found', { n: hits.length })
    const rows = hits.map(hit => {
      const place = hit.page == null ? null : say(el('span', { class: 'page' }), 'page_short', { page: String(hit.page) })
      const score = el('meter', { min: 0, max: 1, value: hit.score, 'aria-hidden': 'true' })
      const scores = [hit.bm25 != null && `BM25 ${number(hit.bm25, 2)}`, hit.cosine != null && `cos ${number(hit.cosine, 2)}`].filter(Boolean).join(' · ')
      return el('li', {}, el('button', { type: 'button', onclick: () => openPassage(hit) },
        el('span', { class: 'source' }, el('b', {}, hit.title), place),
        el('span', { class: 'snippet' }, hit.content),
        el('span', { class: 'score' }, score, el('b', {}, number(hit.score, 2)), scores)))
    })
    return [el('details', { class: 'hits', open: outcome === 'refused' }, title, el('ol', {}, ...rows))]
  }

  #actions(done) {
    const facts = el('span', { class: 'facts' })
    if (done.model) facts.append(el('span', {}, done.model))
    else if (done.extractive && done.citations.length > 0) facts.append(say(el('span'), 'extractive'))
    facts.append(say(el('span'), 'ms', { ms: Math.round(done.latency_ms) }))
    const copy = label(el('button', { type: 'button', class: 'quiet icon copy', onclick: () => copyAnswer(done, copy) }), 'copy')
    return el('footer', { class: 'actions' }, copy, ...feedbackOn(done.trace_id), facts)
  }

  #stopped() {
    if (this.#frame) this.#showLive()
    this.after.append(say(el('p', { class: 'note' }), 'stopped'))
    announce('status_stopped')
  }

  #error({ content, detail, final_response: partial }) {
    if (!this.#text && partial) this.#token(partial)
    this.#done = {}
    this.#failed(null, { message: detail || content })
  }

  #failed(key, error) {
    if (this.#done?.answer !== undefined) return // the answer was complete; what broke came after it
    const text = key ? say(el('span'), key) : el('span', {}, error.message)
    const again = say(el('button', { type: 'button', class: 'quiet', onclick: () => this.element.dispatchEvent(new CustomEvent('again')) }), 'retry')
    const trace = error?.traceId ? say(el('small'), 'trace', { id: error.traceId }) : null
    keepAtBottom(() => this.after.append(el('p', { class: 'note failed' }, text, again, trace)))
    announce('status_failed', { detail: text.textContent })
  }
}

const announce = (key, values) => say($('status'), key, values)

/** Follows the growing text, unless the reader has scrolled away from the end. */
function keepAtBottom(change) {
  const page = document.documentElement
  const follows = page.scrollHeight - page.clientHeight - page.scrollTop < 120
  change()
  if (follows) page.scrollTop = page.scrollHeight
}

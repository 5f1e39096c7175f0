// One line of the list of documents: a file on its way in, or a document with its state and a way to delete it.

import { call } from './api.js'
import { el, label, say } from './dom.js'

export class DocumentRow {
  /** `onRemoved()` is called after the document was deleted, or the note about a failed file was put away. */
  constructor(title, onRemoved) {
    this.title = title
    this.document = null
    this.name = el('span', { class: 'name' }, title)
    this.facts = el('span', { class: 'facts' })
    this.progress = el('progress', { max: 1, value: 0, hidden: true, 'aria-label': title })
    this.why = el('p', { class: 'why', hidden: true })
    this.remove = label(el('button', { type: 'button', class: 'quiet icon bin', hidden: true, onclick: () => this.#ask() }), 'remove', { title })
    this.onRemoved = onRemoved
    this.element = el('li', {}, el('div', {}, this.name, this.facts), this.remove, this.progress, this.why)
  }

  waiting() {
    say(this.facts, 'upload_waiting')
  }

  sending(share) {
    this.progress.hidden = false
    this.progress.value = share
    say(this.facts, 'upload_sending', { percent: Math.round(share * 100) })
  }

  show(found) {
    this.document = found
    this.title = found.title || this.title
    this.name.textContent = this.title
    this.progress.hidden = true
    this.element.dataset.state = found.state
    this.element.dataset.vectors = hasAllVectors(found) ? 'all' : 'some'
    delete this.facts.dataset.i18n
    this.facts.replaceChildren(...factsOf(found))
    this.#explain(found.state === 'FAILED' ? [found.reason, found.remedy] : [])
    label(this.remove, 'remove', { title: this.title }).hidden = false
  }

  /** The file never became a document. */
  fail(reason, remedy = null) {
    this.element.dataset.state = 'FAILED'
    this.progress.hidden = true
    say(this.facts, 'state_FAILED')
    this.#explain([reason, remedy])
    label(this.remove, 'dismiss', { title: this.title }).hidden = false
  }

  #explain(sentences) {
    const said = sentences.filter(Boolean)
    this.why.hidden = said.length === 0
    this.why.replaceChildren(...said.map(sentence => el('span', {}, sentence, ' ')))
  }

  #ask() {
    if (!this.document) return this.#gone()
    const yes = say(el('button', { type: 'button', class: 'danger', onclick: () => this.#delete(question) }), 'remove_yes')
    const no = say(el('button', { type: 'button', class: 'quiet', onclick: () => this.#keep(question) }), 'remove_no')
    const question = el('div', { class: 'question-row', role: 'group' }, say(el('span'), 'remove_question'), yes, no)
    question.addEventListener('keydown', event => event.key === 'Escape' && (event.preventDefault(), event.stopPropagation(), this.#keep(question)))
    this.remove.hidden = true
    this.element.append(question)
    no.focus()
  }

  #keep(question) {
    question.remove()
    this.remove.hidden = false
    this.remove.focus()
  }

  async #delete(question) {
    try {
      await call('DELETE', `/documents/${encodeURIComponent(this.document.doc_id)}`)
    } catch (problem) {
      if (problem.status !== 404) {
        this.#keep(question)
        return this.#explain([problem.message])
      }
    }
    this.#gone()
  }

  #gone() {
    this.element.remove()
    this.onRemoved(this)
  }
}

/** Vectors are made after a document is READY; until then it is found by its words. */
export const hasAllVectors = ({ vectors }) => !vectors || vectors.done >= vectors.total

function factsOf({ state, pages, chunks, vectors }) {
  const facts = [say(el('span', { class: 'state' }), `state_${state}`)]
  if (state === 'READY') {
    if (pages) facts.push(say(el('span'), 'pages', { n: pages }))
    if (chunks) facts.push(say(el('span'), 'passages', { n: chunks }))
    if (!hasAllVectors({ vectors })) facts.push(say(el('span'), 'vectors', vectors))
  }
  return facts
}

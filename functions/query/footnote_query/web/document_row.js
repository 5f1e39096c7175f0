// A row in the list of documents, with actions: open, download, retry, delete.

import { call } from './api.js'
import { confirmDelete } from './confirm.js'
import { explain, factsOf } from './document_facts.js'
import { el, label } from './dom.js'
import { formatIcon } from './format_icon.js'
import { openSource } from './source.js'

export class DocumentRow {
  #shown = ''

  /** `onRemoved(row)`: called after the document was deleted. `onRetried(row)`: called after a retry was requested. */
  constructor({ onRemoved, onRetried }) {
    this.document = null
    this.onRemoved = onRemoved
    this.onRetried = onRetried
    this.name = el('button', { type: 'button', class: 'name', onclick: () => openSource({ doc_id: this.document.doc_id, title: this.document.title }) })
    this.file = el('bdi', { class: 'file' })
    this.facts = el('span', { class: 'facts' })
    this.save = el('a', { class: 'quiet icon save' })
    this.again = el('button', { type: 'button', class: 'quiet icon again', onclick: () => this.#retry() })
    this.remove = el('button', { type: 'button', class: 'quiet icon bin' })
    this.why = el('p', { class: 'why', hidden: true })
    this.element = el('li', {}, el('div', {}, this.name, this.file, this.facts), el('div', { class: 'act' }, this.again, this.save, this.remove), this.why)
    this.remove.addEventListener('click', () => confirmDelete(this.element, this.remove, 'remove_question', showError => this.#delete(showError)))
  }

  show(found) {
    const content = JSON.stringify(found)
    if (content === this.#shown) return
    this.#shown = content
    this.document = found
    const { doc_id: docId, title, state } = found
    this.element.dataset.state = state
    this.name.replaceChildren(formatIcon(found), title)
    this.name.title = found.file_name
    this.file.textContent = found.file_name.split('/').at(-1)
    this.file.hidden = isNamedAlike(found)
    this.name.disabled = state !== 'READY'
    this.facts.replaceChildren(...factsOf(found))
    label(this.save, 'save', { title }).href = pathOf(docId, '/content?save=true')
    this.save.download = found.file_name.split('/').at(-1)
    label(this.again, 'upload_again', { title }).hidden = state !== 'FAILED'
    label(this.remove, 'remove', { title })
    explain(this.why, found)
  }

  async #retry() {
    try {
      this.show(await call('POST', pathOf(this.document.doc_id, '/retry')))
    } catch (problem) {
      return explain(this.why, { reason: problem.message })
    }
    this.remove.focus() // the clicked button is gone
    this.onRetried(this)
  }

  async #delete(showError) {
    try {
      await call('DELETE', pathOf(this.document.doc_id))
    } catch (problem) {
      if (problem.status !== 404) return showError(problem.message)
    }
    this.onRemoved(this)
  }
}

/** Whether the title is the file's name, as it is where a document has no title of its own. */
const isNamedAlike = ({ title, file_name: name }) => [name, name.replace(/\.[^.]*$/, '')].some(each => plain(each.split('/').at(-1)) === plain(title))
const plain = text => text.toLowerCase().normalize().replace(/[\s_-]+/g, ' ').trim()

const pathOf = (docId, rest = '') => `./documents/${encodeURIComponent(docId)}${rest}`

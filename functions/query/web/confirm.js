// A question before something is deleted for good, asked where the button was.

import { el, say } from './dom.js'

/** Puts the question `key` at the end of `row` in place of `button`. "Delete" calls `onYes(tell)`, where `tell(message)` says why it failed. */
export function confirmDelete(row, button, key, onYes) {
  const keep = () => {
    question.remove()
    button.hidden = false
    button.focus()
  }
  const asked = say(el('span', { role: 'status' }), key)
  const tell = message => {
    delete asked.dataset.i18n
    asked.textContent = message
  }
  const question = el('div', { class: 'question-row', role: 'group' },
    asked,
    say(el('button', { type: 'button', class: 'danger', onclick: () => onYes(tell) }), 'remove_yes'),
    say(el('button', { type: 'button', class: 'quiet', onclick: keep }), 'remove_no'))
  question.addEventListener('keydown', event => event.key === 'Escape' && (event.preventDefault(), event.stopPropagation(), keep()))
  button.hidden = true
  row.append(question)
  question.lastChild.focus()
}

// Inline confirmation before a permanent deletion, shown in place of the button.

import { el, say } from './dom.js'

/** Appends the question `key` to `row` and hides `button`. "Delete" calls `onYes(showError)`; `showError(message)` shows why it failed. */
export function confirmDelete(row, button, key, onYes) {
  const keep = () => {
    question.remove()
    button.hidden = false
    button.focus()
  }
  const asked = say(el('span', { role: 'status' }), key)
  const showError = message => {
    delete asked.dataset.i18n
    asked.textContent = message
  }
  const question = el('div', { class: 'question-row', role: 'group' },
    asked,
    say(el('button', { type: 'button', class: 'danger', onclick: () => onYes(showError) }), 'remove_yes'),
    say(el('button', { type: 'button', class: 'quiet', onclick: keep }), 'remove_no'))
  question.addEventListener('keydown', event => event.key === 'Escape' && (event.preventDefault(), event.stopPropagation(), keep()))
  button.hidden = true
  row.append(question)
  question.lastChild.focus()
}

// What the next question is asked with, where that was chosen: the collection and the search options, each a chip in the question box that puts
// it back.

import { $, el, label, say } from './dom.js'

const NAMES = { index: 'collection', mode: 'mode', retriever: 'retriever', results: 'results' } // field → key of its name
const list = $('active')

/** Shows a chip for each field that is not at its first choice. */
export function showActive() {
  const chosen = Object.keys(NAMES).filter(id => isChosen($(id)))
  list.replaceChildren(...chosen.map(chip))
  list.hidden = chosen.length === 0
}

const isChosen = field => !field.closest('label').hidden && (field.options ? field.selectedIndex > 0 : field.value !== field.defaultValue)

function chip(id) {
  const field = $(id)
  const key = field.selectedOptions?.[0].dataset.i18n
  const value = key ? say(el('span'), key) : el('bdi', {}, field.value)
  const name = el('span', { id: `active-${id}`, class: 'name' }, say(el('span'), NAMES[id]), ': ', value)
  const remove = label(el('button', { type: 'button', class: 'quiet icon cross', id: `active-${id}-remove`, onclick: () => putBack(field) }), 'active_remove')
  remove.setAttribute('aria-labelledby', `${remove.id} ${name.id}`)
  return el('li', { class: 'attachment' }, name, remove)
}

function putBack(field) {
  const buttons = () => [...list.querySelectorAll('button')]
  const place = buttons().indexOf(document.activeElement)
  if (field.options) field.selectedIndex = 0
  else field.value = field.defaultValue
  field.dispatchEvent(new Event('change'))
  const focused = buttons()[place] ?? buttons().at(-1) ?? $('question')
  focused.focus()
}

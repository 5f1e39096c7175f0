// The closest passages, where no sentence answers for certain: a card each, with its best sentences marked.

import { placeOf } from './document_facts.js'
import { el, say } from './dom.js'
import { excerptOf } from './excerpt.js'
import { formatIcon } from './format_icon.js'
import { openSource } from './source.js'

/** Replaces the text of an answer whose outcome is `closest`. `sources`: its citations with their hits; `title`: key of the heading. */
export function closestPassages(sources, title = 'closest') {
  const cards = sources.map(source => card(source, sources))
  return el('section', { class: 'closest' }, say(el('h3'), title), say(el('p', { class: 'lead' }), 'closest_text'), el('ol', {}, ...cards))
}

function card(source, sources) {
  const { title, unit, section, page, number } = source
  const [key, values] = placeOf({ page, unit, section })
  const under = unit !== 'sheet' && section && section !== title ? ` › ${section}` : ''
  const open = () => openSource(source, sources)
  const head = el('button', { type: 'button', onclick: open }, el('span', { class: 'number' }, String(number)), ' ', el('b', {}, formatIcon(source), title), under, key && ' ', key && say(el('span', { class: 'page' }), key, values))
  // The button is for keyboards and screen readers; a click anywhere does the same, unless it ends a selection of text.
  return el('li', { onclick: event => !head.contains(event.target) && getSelection().isCollapsed && open() }, head, el('p', { class: 'excerpt' }, ...excerptOf(source).map((piece, place) => (place % 2 ? marked(piece) : piece))))
}

const marked = text => el('mark', {}, say(el('span', { class: 'sr-only' }), 'best_sentence'), text)

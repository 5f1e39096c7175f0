// The closest passages, where no sentence answers for certain: a card each, with its excerpts.

import { placeOf } from './document_facts.js'
import { el, say } from './dom.js'
import { formatIcon } from './format_icon.js'
import { openSource } from './source.js'

/** Replaces the text of an answer whose outcome is `closest`, which `body` is and which is used up; `places`: as of `markExcerpts`.
 * `sources`: its citations with their hits; `title`: key of the heading, null = it stands above. */
export function closestPassages(sources, body, places, title) {
  const shown = new Map(sources.map(source => [source, []]))
  for (const [marker, { source, which }] of places) shown.get(source).push({ which, ...excerptAt(body, marker) })
  const cards = sources.map(source => card(source, sources, shown.get(source)))
  const head = title === null ? null : say(el('h3'), title)
  const lead = title === 'closest' ? say(el('p', { class: 'lead' }), 'closest_text') : null
  return el('section', { class: 'closest' }, head, lead, el('ol', {}, ...cards))
}

/** Takes what lies before the marker out of `body`: the line that names its source, null = it is the one of the excerpt before, and the
 * excerpt. */
function excerptAt(body, marker) {
  const nodes = []
  while (body.firstChild && !nodes.at(-1)?.contains(marker)) nodes.push(body.removeChild(body.firstChild))
  marker.remove()
  const place = nodes.findLastIndex(node => node.firstChild?.className === 'from')
  return { name: nodes[place] ?? null, nodes: nodes.slice(place + 1).filter(node => node.textContent.trim()) }
}

function card(source, sources, [first, ...others]) {
  const { title, unit, section, page, number } = source
  const [key, values] = placeOf({ page, unit, section })
  const name = first?.name?.textContent.trim() ?? ''
  const under = name.startsWith(title) ? name.slice(title.length) : unit !== 'sheet' && section && section !== title ? ` › ${section}` : ''
  const open = () => openSource(source, sources, first?.which)
  const head = el('button', { type: 'button', onclick: open }, el('span', { class: 'number' }, String(number)), ' ', el('b', {}, formatIcon(source), title), under, key && ' ', key && say(el('span', { class: 'page' }), key, values))
  const excerpts = [{ nodes: first?.nodes ?? [source.snippet] }, ...others.map(each => (each.name?.textContent.trim() === name ? { nodes: each.nodes } : each))]
  const shown = excerpts.map(({ name: named, nodes }) => el('div', { class: 'excerpt' }, named, ...nodes))
  // The button is for keyboards and screen readers; a click anywhere does the same, unless it ends a selection of text.
  return el('li', { onclick: ({ target }) => !target.closest('a, button') && getSelection().isCollapsed && open() }, head, ...shown)
}

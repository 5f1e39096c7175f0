// Creates elements from text only: outside markdown.js the page never parses HTML.

import { ago, t, translated } from './i18n.js'

export const $ = id => document.getElementById(id)

/** `el('p', {class: 'x', onclick}, 'text', node)`: on… are listeners, the rest are attributes; null and false are skipped. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children)
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value)
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? '' : value)
  }
  node.append(...children.filter(child => child !== null && child !== undefined))
  return node
}

/** A node of a drawing, in SVG; `attributes` and `children` as in `el`. */
export function shape(tag, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children)
}

/** The nodes with a text between each two of them. */
export const joined = (nodes, between) => nodes.flatMap((node, place) => (place ? [between, node] : [node]))

/** What `draw()` makes. If it throws, `make()` of a note and of the plain text instead, so that what cannot be drawn takes nothing else with it. */
export function drawn(draw, text, make = note => note) {
  try {
    return draw()
  } catch (error) {
    console.error(error)
    return make(el('div', {}, say(el('p', { class: 'note failed' }), 'not_drawn'), el('p', {}, text)))
  }
}

/** Scrolls what is around `node` to it, as `scrollIntoView(options)`, and not the page. */
export function scrollWithin(node, options) {
  const { scrollX, scrollY } = window
  node.scrollIntoView(options)
  scrollTo(scrollX, scrollY)
}

/** Sets a translated text that follows language changes. */
export function say(node, key, values = {}) {
  node.dataset.i18n = key
  node.dataset.values = JSON.stringify(values)
  node.textContent = t(key, values)
  return node
}

/** Sets what the server says in English, in the page's language; it follows language changes. */
export function sayTranslated(node, text) {
  node.dataset.said = text
  node.textContent = translated(text)
  return node
}

/** Sets a translated accessible name and tooltip. */
export function label(node, key, values = {}) {
  node.dataset.i18nLabel = key
  node.dataset.values = JSON.stringify(values)
  node.setAttribute('aria-label', t(key, values))
  node.title = t(key, values)
  return node
}

/** Calls `changed()` while somebody types into a search field; Escape empties it first, and what is around it stays open. */
export function watchSearch(field, changed) {
  field.addEventListener('input', changed)
  field.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || !field.value) return
    event.preventDefault()
    event.stopPropagation()
    field.value = ''
    changed()
  })
}

/** Fills a `<time>` with the relative time of `seconds` (since 1970). */
export function showAgo(node, seconds) {
  node.dateTime = new Date(seconds * 1000).toISOString()
  node.dataset.ago = seconds
  node.textContent = ago(seconds)
  return node
}

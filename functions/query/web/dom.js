// Elements are made here, and only from text: nothing on this page is ever parsed as HTML outside markdown.js.

import { ago, t } from './i18n.js'

export const $ = id => document.getElementById(id)

/** `el('p', {class: 'x', onclick}, 'text', node)`: on… are listeners, the rest are attributes; null and false are left out. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value)
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? '' : value)
  }
  node.append(...children.filter(child => child !== null && child !== undefined))
  return node
}

/** Writes a translated text that follows a change of language. */
export function say(node, key, values = {}) {
  node.dataset.i18n = key
  node.dataset.values = JSON.stringify(values)
  node.textContent = t(key, values)
  return node
}

/** The same for the name that assistive technology reads. */
export function label(node, key, values = {}) {
  node.dataset.i18nLabel = key
  node.dataset.values = JSON.stringify(values)
  node.setAttribute('aria-label', t(key, values))
  node.title = t(key, values)
  return node
}

/** How long ago `seconds` (since 1970) was, in a `<time>`. */
export function tellAgo(node, seconds) {
  node.dateTime = new Date(seconds * 1000).toISOString()
  node.dataset.ago = seconds
  node.textContent = ago(seconds)
  return node
}

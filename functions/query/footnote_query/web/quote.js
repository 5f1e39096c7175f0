// The passage as it was when cited: its text with the supporting sentence marked, and its scores.

import { el, say } from './dom.js'
import { number } from './i18n.js'

export function scoresOf({ score, bm25, cosine }) {
  return [['score', score], ['bm25', bm25], ['cosine', cosine]]
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => el('div', {}, say(el('dt'), name), el('dd', {}, number(value, 2))))
}

/** The text with the snippet in a <mark>, ignoring white space. A snippet that is not in the text is put before it. */
export function markSnippet(text, snippet) {
  const words = snippet?.trim().split(/\s+/).filter(Boolean) ?? []
  if (words.length === 0) return [text]
  const marked = words => el('mark', {}, say(el('span', { class: 'sr-only' }), 'supports'), words)
  const pattern = new RegExp(words.map(word => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+'))
  const found = pattern.exec(text)
  if (!found) return [marked(snippet), text && `\n\n${text}`]
  return [text.slice(0, found.index), marked(found[0]), text.slice(found.index + found[0].length)]
}

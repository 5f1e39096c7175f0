// The passage behind a citation or a hit, shown as plain text with the supporting sentence marked.

import { $, el, say } from './dom.js'
import { number } from './i18n.js'
import { openPanel } from './panels.js'

/** `hit` as in the stream's `done` event; `snippet` is the sentence to mark, null = none. */
export function openPassage(hit, snippet = null) {
  $('passage-title').textContent = hit.title
  $('passage-place').replaceChildren(...placeOf(hit))
  const { before, marked, after } = findSnippet(hit.content, snippet)
  const mark = marked && el('mark', {}, say(el('span', { class: 'sr-only' }), 'supports'), marked)
  $('passage-text').replaceChildren(before, ...(mark ? [mark] : []), after)
  $('passage-scores').replaceChildren(...scoresOf(hit))
  openPanel($('passage'))
  if (mark) mark.scrollIntoView({ block: 'center' })
  else $('passage-text').scrollTop = 0
}

function placeOf({ page, headings }) {
  const path = (headings ?? []).join(' › ')
  return [page != null && say(el('strong'), 'page', { page: String(page) }), page != null && path && ' · ', path].filter(Boolean)
}

export function scoresOf({ score, bm25, cosine }) {
  return [['score', score], ['bm25', bm25], ['cosine', cosine]]
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => el('div', {}, say(el('dt'), name), el('dd', {}, number(value, 2))))
}

/** Where the snippet stands in the text; white space may differ. Nowhere: it is put before the text. */
function findSnippet(text, snippet) {
  const words = snippet?.trim().split(/\s+/).filter(Boolean) ?? []
  if (words.length === 0) return { before: text, marked: '', after: '' }
  const pattern = new RegExp(words.map(word => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+'))
  const found = pattern.exec(text)
  if (!found) return { before: '', marked: snippet, after: text ? `\n\n${text}` : '' }
  const end = found.index + found[0].length
  return { before: text.slice(0, found.index), marked: found[0], after: text.slice(end) }
}

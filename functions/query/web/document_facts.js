// What is said of a document wherever one is shown: its state in a line, and why it is not as it should be.

import { el, say } from './dom.js'
import { number } from './i18n.js'

const PARTS = { pptx: 'slides', ppt: 'slides', odp: 'slides', xlsx: 'sheets', xls: 'sheets', ods: 'sheets' }

/** e.g. Ready · PDF · 3 pages · 12 passages */
export function factsOf({ state, format, pages, chunks }) {
  const facts = [say(el('span', { class: 'state' }), `state_${state}`)]
  if (state !== 'READY') return facts
  if (format) facts.push(el('span', {}, format.toUpperCase()))
  if (pages) facts.push(say(el('span'), PARTS[format] ?? 'pages', { n: pages }))
  if (chunks) facts.push(say(el('span'), 'passages', { n: chunks }))
  return facts
}

/** Fills `node` with the reason and the remedy; hides it where there are none. */
export function explain(node, { reason, remedy }) {
  const said = [reason, remedy].filter(Boolean)
  node.hidden = said.length === 0
  node.replaceChildren(...said.map(sentence => el('span', {}, sentence, ' ')))
}

export function saySize(node, bytes) {
  if (bytes < 1024 * 1024) return say(node, 'size_kb', { size: number(Math.ceil(bytes / 1024)) })
  return say(node, 'size_mb', { size: number(bytes / 1024 / 1024, 1) })
}

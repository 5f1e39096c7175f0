// The excerpts of an answer without a language model, each before its marker: what of them answers is marked, and “… 9 more” opens the
// passage.

import { el, say } from './dom.js'
import { answeringIn, isMore } from './excerpt.js'

const WHOLE = 'code, .formula, a' // is marked as a whole
const BLOCK = 'p, li, td, th, h1, h2, h3, h4, h5, h6, blockquote, pre'

/** `places`: each marker's element → its `source` and `which`, the index of its sentence in the source's `bounds`, which is set to that of
 * the best one in the excerpt. `open(place)`: opens the passage. An answer that holds nothing else than what answers has no marks. */
export function markExcerpts(body, places, open) {
  const found = excerptsIn(body, places).map(([marker, runs]) => {
    const place = places.get(marker)
    const last = runs.at(-1)?.node
    const hasMore = last?.parentElement?.closest('li') && isMore(last.data)
    if (hasMore) last.replaceWith(el('button', { type: 'button', class: 'more', onclick: () => open(place) }, runs.pop().text.trim()))
    if (!marker.parentElement.textContent.trim()) marker.parentElement.className = 'after-code'
    const { source } = place
    const answering = answeringIn(runs, source)
    place.which = answering.which ?? (source.bounds?.length === source.spans?.length ? place.which : 0)
    return { runs, ...answering }
  })
  if (found.every(({ isAll }) => isAll)) return
  for (const { runs, marks } of found) {
    for (const each of marks.toReversed()) mark(runs, each, each === marks[0]) // a later one leaves the places of earlier ones as they are
  }
}

/** [marker, the texts before it, back to another marker or the name of the source], without code. */
function excerptsIn(body, places) {
  const excerpts = []
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
  let runs = []
  while (walker.nextNode()) {
    const node = walker.currentNode
    if (places.has(node)) {
      excerpts.push([node, runs])
      runs = []
    } else if (node.className === 'from' || node.parentElement?.className === 'from') {
      runs = []
    } else if (node.nodeType === Node.TEXT_NODE && node.data && !node.parentElement?.closest('pre')) {
      runs.push({ node, text: node.data, block: node.parentElement?.closest(BLOCK) })
    }
  }
  return excerpts
}

/** Marks a text, which may go on over several blocks. `isFirst`: of its excerpt, which is announced. */
function mark(runs, { from: [first, start], to: [last, end] }, isFirst) {
  for (let to = last, from; to >= first; to = from - 1) {
    for (from = to; from > first && runs[from - 1].block === runs[to].block; from -= 1);
    if (!runs.slice(from, to + 1).some(({ text }) => text.trim())) continue // white space between blocks
    const range = document.createRange()
    begin(range, runs[from].node, from === first ? start : 0)
    finish(range, runs[to].node, to === last ? end : runs[to].text.length)
    const marked = el('mark', {}, isFirst && from === first ? say(el('span', { class: 'sr-only' }), 'best_sentence') : null)
    marked.append(range.extractContents())
    range.insertNode(marked)
  }
}

function begin(range, node, offset) {
  const whole = node.parentElement?.closest(WHOLE)
  if (whole) range.setStartBefore(whole)
  else range.setStart(node, offset)
}

function finish(range, node, offset) {
  const whole = node.parentElement?.closest(WHOLE)
  if (whole) range.setEndAfter(whole)
  else range.setEnd(node, offset)
}

// The excerpts of an answer without a language model, each before its marker: what of them answers is marked, a click opens the passage there,
// and “… 9 more” shows the whole list.

import { el, say } from './dom.js'
import { answeringIn, isMore } from './excerpt.js'
import { wholeList } from './whole_list.js'

const WHOLE = 'code, .formula, a' // is marked as a whole
const BLOCK = 'p, li, td, th, h1, h2, h3, h4, h5, h6, blockquote, pre'

/** `places`: each marker's element → its `source` and `which`, the index of its sentence in the source's `bounds`, which is set to that of
 * the best one in the excerpt. `open(place)`: opens the passage, as a click on the excerpt does. An answer that holds nothing else than what
 * answers has no marks. */
export function markExcerpts(body, places, open) {
  const found = excerptsIn(body, places).map(([marker, runs]) => {
    const place = places.get(marker)
    const last = runs.at(-1)?.node
    const hasMore = last?.parentElement?.closest('li') && isMore(last.data)
    if (hasMore) last.replaceWith(moreButton(runs.pop().text.trim(), place, open))
    if (!marker.parentElement.textContent.trim()) marker.parentElement.className = 'after-code'
    const { source } = place
    const answering = answeringIn(runs, source)
    place.which = answering.which ?? (source.bounds?.length === source.spans?.length ? place.which : 0)
    return { runs, place, ...answering }
  })
  const placesOf = new Map() // of a block
  for (const { runs, place } of found) for (const { block } of runs) placesOf.set(block, (placesOf.get(block) ?? new Set()).add(place))
  for (const [block, [place, other]] of placesOf) if (block && !other) opensOn(block, () => open(place))
  if (found.every(({ isAll }) => isAll)) return
  for (const { runs, marks, place } of found) {
    for (const each of marks.toReversed()) { // a later one leaves the places of earlier ones as they are
      for (const node of mark(runs, each, each === marks[0])) opensOn(node, () => open({ ...place, which: each.which }))
    }
  }
}

/** A click opens the passage, unless it ends a selection of text. The keyboard's way is the citation, or the card's button. */
function opensOn(node, open) {
  node.classList.add('opens')
  node.addEventListener('click', event => {
    if (event.target.closest('a, button') || !getSelection().isCollapsed) return
    event.stopPropagation() // what is around it opens the best sentence
    open()
  })
}

/** Shows the whole list in place of the excerpt, and on another click the excerpt again. Where that is impossible, opens the passage. */
function moreButton(text, place, open) {
  const button = el('button', { type: 'button', class: 'more', 'aria-expanded': 'false' }, text)
  let view = null
  let parts = null
  let whole = null // the view, in an item if it is between items
  button.addEventListener('click', async () => {
    const isOpen = button.getAttribute('aria-expanded') === 'false'
    view ??= await viewOf(place, open)
    if (!view) return open(place)
    const item = button.closest('li')
    parts ??= partsBefore(item)
    if (!whole) {
      const before = parts[0] ?? item
      whole = before.localName === 'li' ? el('li', { class: 'whole' }, view) : view
      before.before(whole)
    }
    for (const part of parts) part.hidden = isOpen
    whole.hidden = !isOpen
    button.setAttribute('aria-expanded', String(isOpen))
    button.replaceChildren(isOpen ? say(el('span'), 'fewer') : text)
    if (isOpen) center(view.querySelector('mark:not(.also)'), view)
  })
  return button
}

/** Scrolls a long list to what is marked, and not the page. */
function center(mark, view) {
  view.scrollTop += mark.getBoundingClientRect().top - view.getBoundingClientRect().top - view.clientHeight / 2
}

async function viewOf(place, open) {
  const whole = await wholeList(place.source, place.which).catch(() => null)
  if (!whole) return null
  whole.view.tabIndex = 0 // a long one also scrolls by keyboard
  opensOn(whole.view, () => open(place))
  for (const [mark, which] of whole.marks) opensOn(mark, () => open({ ...place, which }))
  return whole.view
}

/** What is of the excerpt above its last item: items, lists and code between them, back to another marker. */
function partsBefore(item) {
  const parts = []
  const above = node => node.previousElementSibling ?? node.closest('li')?.parentElement.previousElementSibling
  for (let node = above(item); node?.matches('li, ul, ol, .code, pre') && !node.querySelector('sup'); node = above(node)) parts.unshift(node)
  return parts
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

/** Marks a text, which may go on over several blocks. `isFirst`: of its excerpt, which is announced. → the <mark> elements. */
function mark(runs, { from: [first, start], to: [last, end] }, isFirst) {
  const marks = []
  for (let to = last, from; to >= first; to = from - 1) {
    for (from = to; from > first && runs[from - 1].block === runs[to].block; from -= 1);
    if (!runs.slice(from, to + 1).some(({ text }) => text.trim())) continue // white space between blocks
    const range = document.createRange()
    begin(range, runs[from].node, from === first ? start : 0)
    finish(range, runs[to].node, to === last ? end : runs[to].text.length)
    const marked = el('mark', {}, isFirst && from === first ? say(el('span', { class: 'sr-only' }), 'best_sentence') : null)
    marked.append(range.extractContents())
    range.insertNode(marked)
    marks.push(marked)
  }
  return marks
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

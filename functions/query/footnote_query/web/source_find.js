// The outline of the open document, and the search in it. In a text, each match is marked; of a PDF's pages, those that hold the words are gone through.

import { $, el, say, watchSearch, scrollWithin } from './dom.js'

const FEW = 2 // a document with fewer headings needs no outline
const LEAD = '  ' // before a heading below another one
const BLOCK = 'p, li, td, th, h3, h4, h5, h6, code'
const outline = $('source-outline')
const field = $('source-find')
const tools = $('source-search')
let shown = null // {view} of a text, or {load, goTo} of a PDF
let headings = [] // of each: where it is
let matches = [] // ranges of a text, numbers of a PDF's pages
let at = -1

/** Begins with a text, which is in `view`. */
export function findInText(view) {
  begin({ view })
  offer([...view.querySelectorAll(':is(h3, h4, h5, h6):not(.unit)')].map(node => ({ text: node.textContent, level: Number(node.tagName[1]), place: node })))
}

/** Begins with a PDF: `load` resolves to its blocks, `goTo` shows a page. They are loaded when somebody comes near the tools. */
export const findInPages = (load, goTo) => begin({ load, goTo })

/** Nothing is open. */
export function findNothing() {
  begin(null)
}

function begin(next) {
  shown = next
  tools.hidden = next === null
  headings = []
  outline.hidden = true
  field.value = ''
  found([])
}

function offer(entries) {
  headings = entries.map(({ place }) => place)
  outline.hidden = entries.length < FEW
  const top = Math.min(...entries.map(({ level }) => level))
  outline.replaceChildren(say(el('option', { value: '' }), 'source_outline'), ...entries.map(({ text, level }, n) => el('option', { value: n }, LEAD.repeat(level - top) + text)))
}

/** The PDF's blocks, loaded once. */
function blocksOf(pdf) {
  pdf.blocks ??= pdf.load().then(blocks => {
    if (shown === pdf) offer(blocks.filter(({ kind, page }) => kind === 'heading' && page !== null).map(({ text, level, page }) => ({ text, level, place: page })))
    return blocks
  }).catch(() => {
    pdf.blocks = null // asked for again next time
    return []
  })
  return pdf.blocks
}

/** Everything that contains the words, ignoring case. */
async function search() {
  const mine = shown
  const words = field.value.trim().toLowerCase()
  if (!mine || !words) return found([])
  if (mine.view) return found(rangesOf(mine.view, words))
  const pages = (await blocksOf(mine)).filter(({ text }) => text.toLowerCase().includes(words)).map(({ page }) => page)
  if (mine === shown && words === field.value.trim().toLowerCase()) found([...new Set(pages)].filter(page => page !== null))
}

/** Words may go over the edge of a mark, not from one block into the next. */
function rangesOf(view, words) {
  const nodes = []
  let text = ''
  let last = null
  for (const walker = document.createTreeWalker(view, NodeFilter.SHOW_TEXT); walker.nextNode();) {
    const block = walker.currentNode.parentElement.closest(BLOCK)
    if (block !== last) text += '\n'
    last = block
    nodes.push({ node: walker.currentNode, from: text.length })
    text += walker.currentNode.data
  }
  const lower = text.toLowerCase()
  const hay = lower.length === text.length ? lower : text // a few letters are longer in lower case
  const ranges = []
  for (let from = hay.indexOf(words); from >= 0; from = hay.indexOf(words, from + words.length)) {
    const range = new Range()
    const [start, end] = [nodes.findLast(each => each.from <= from), nodes.findLast(each => each.from < from + words.length)]
    range.setStart(start.node, from - start.from)
    range.setEnd(end.node, from + words.length - end.from)
    ranges.push(range)
  }
  return ranges
}

function found(all) {
  matches = all
  at = -1
  paint()
  if (all.length > 0) goOn(1)
  else count()
}

function goOn(step) {
  if (matches.length === 0) return
  at = (at + step + matches.length) % matches.length
  const match = matches[at]
  if (match instanceof Range) scrollWithin(match.startContainer.parentElement, { block: 'center', inline: 'nearest' })
  else shown.goTo(match)
  paint()
  count()
}

function paint() {
  if (!globalThis.CSS?.highlights) return
  CSS.highlights.delete('found')
  CSS.highlights.delete('found-now')
  if (!(matches[0] instanceof Range)) return
  CSS.highlights.set('found', new Highlight(...matches))
  if (at >= 0) CSS.highlights.set('found-now', Object.assign(new Highlight(matches[at]), { priority: 1 }))
}

function count() {
  const [key, values] = matches.length > 0 ? [shown.view ? 'source_found' : 'source_found_pages', { at: String(at + 1), n: matches.length }] : ['source_found_none', {}]
  say($('source-found'), key, values).hidden = !field.value.trim()
  for (const id of ['source-found-back', 'source-found-on']) $(id).setAttribute('aria-disabled', String(matches.length === 0))
}

watchSearch(field, search)
field.addEventListener('keydown', event => event.key === 'Enter' && goOn(event.shiftKey ? -1 : 1))
outline.addEventListener('change', () => {
  const place = headings[outline.value]
  if (outline.value === '') return
  if (place instanceof Element) scrollWithin(place, { block: 'start' })
  else shown.goTo(place)
})
$('source-found-back').addEventListener('click', () => goOn(-1))
$('source-found-on').addEventListener('click', () => goOn(1))
for (const event of ['pointerenter', 'focusin']) tools.addEventListener(event, () => shown?.load && blocksOf(shown))

// A file's extracted text as headings, paragraphs, lists and tables; the cited sentence is in <mark>, the other
// sentences of the citation in <mark class="also">.

import { el, say } from './dom.js'

export const SLIDES = ['pptx', 'ppt', 'odp', 'fodp', 'sxi']
export const SHEETS = ['xlsx', 'xls', 'xlsb', 'ods', 'fods', 'sxc', 'excelml']
const ROWS = 200 // rows shown on each side of the cited row of a long table; the rest on demand

/** The text key for the format's unit: slides, sheets or pages. */
export const unitOf = (format, page) => (SLIDES.includes(format) ? 'source_slide' : SHEETS.includes(format) ? 'source_sheet' : page)

/** Blocks and marks of the server's response → one element. */
export function renderText({ blocks, marks, format }) {
  const view = el('div', { class: 'source-text' })
  const above = blocks.some(block => block.page !== null) ? 3 : 2 // heading levels used by the panel and the pages
  let page = null
  let open = [] // the levels of the headings above
  blocks.forEach((block, number) => {
    if (block.page !== null && block.page !== page) {
      page = block.page
      open = []
      view.append(say(el('h3', { class: 'unit', 'data-page': page }), unitOf(format, 'source_page'), { page: String(page) }))
    }
    const spans = marks.filter(mark => mark.block === number)
    if (block.kind === 'heading') open = [...open.filter(level => level < block.level), block.level]
    view.append(...RENDER[block.kind]({ ...block, depth: above + open.length, spans: inUtf16(block.text, spans) }))
  })
  view.querySelector('mark:not(.also)')?.before(say(el('span', { class: 'sr-only' }), 'supports'))
  return view
}

const RENDER = {
  heading: block => [el(`h${Math.min(6, block.depth)}`, {}, ...pieces(block))],
  paragraph: block => [el('p', {}, ...pieces(block))],
  metadata: block => linesOf(block.text).map(({ from, to }) => el('p', { class: 'caption' }, ...pieces(block, from, to))),
  caption: block => [el('p', { class: 'caption' }, ...pieces(block))],
  code: block => [el('pre', { tabindex: 0 }, el('code', {}, ...pieces(block)))],
  image: block => [el('p', { class: 'image' }, ...pieces(block))],
  list: block => [listOf(block)],
  table: block => tableOf(block),
}

/** The server counts code points; JavaScript strings count UTF-16 units. */
function inUtf16(text, spans) {
  if (spans.length === 0) return []
  const points = Array.from(text)
  const units = offset => points.slice(0, offset).join('').length
  return spans.map(({ start, end, bound }) => ({ start: units(start), end: units(end), bound })).sort((a, b) => a.start - b.start)
}

/** The text from `from` to `to` as strings and marks. */
function pieces({ text, spans }, from = 0, to = text.length) {
  const nodes = []
  let at = from
  for (const { start, end, bound } of spans) {
    const [first, last] = [Math.max(start, at), Math.min(end, to)]
    if (first >= last) continue
    nodes.push(text.slice(at, first), el('mark', { class: bound > 0 && 'also', 'data-bound': bound }, text.slice(first, last)))
    at = last
  }
  return [...nodes, text.slice(at, to)].filter(node => node !== '')
}

/** The lines of a text with their offsets. */
function linesOf(text) {
  return Array.from(text.matchAll(/[^\n]+/g), ({ 0: line, index }) => ({ line, from: index, to: index + line.length }))
}

function listOf(block) {
  const list = el('ul', { class: 'source-lines' })
  for (const { line, from, to } of linesOf(block.text)) {
    const [head = '', indent = '', sign = ''] = line.match(/^(\s*)([-*•]|\d+[.)])\s+/) ?? []
    const item = el('li', {}, el('span', { class: 'source-sign' }, /\d/.test(sign) ? sign : sign && '•'), el('span', {}, ...pieces(block, from + head.length, to)))
    item.style.setProperty('--depth', Math.floor(indent.length / 2))
    list.append(item)
  }
  return list
}

/** A Markdown table: the first line is the header, the second the delimiter row. */
function tableOf(block) {
  const [header, , ...rows] = linesOf(block.text)
  const asked = block.spans.filter(span => !span.bound)
  const cited = rows.findIndex(row => (asked.length ? asked : block.spans).some(span => span.start < row.to && span.end > row.from))
  let first = Math.max(0, cited - ROWS)
  let last = Math.min(rows.length, Math.max(0, cited) + ROWS)
  const body = el('tbody', {}, ...rows.slice(first, last).map(row => rowOf('td', block, row)))
  const above = el('button', { type: 'button', class: 'quiet', onclick: showAbove })
  const below = el('button', { type: 'button', class: 'quiet', onclick: showBelow })

  function showAbove() {
    const from = Math.max(0, first - ROWS)
    body.prepend(...rows.slice(from, first).map(row => rowOf('td', block, row)))
    first = from
    count()
  }
  function showBelow() {
    const to = Math.min(rows.length, last + ROWS)
    body.append(...rows.slice(last, to).map(row => rowOf('td', block, row)))
    last = to
    count()
  }
  function count() {
    say(above, 'source_rows_above', { n: first }).hidden = first === 0
    say(below, 'source_rows_below', { n: rows.length - last }).hidden = last === rows.length
  }
  count()
  const table = el('table', {}, el('thead', {}, rowOf('th', block, header)), body)
  return [above, el('div', { class: 'table', tabindex: 0 }, table), below]
}

function rowOf(tag, block, { line, from }) {
  const row = el('tr')
  for (const { 0: cell, index } of line.matchAll(/(?<=\|)(?:\\.|[^|\\])*(?=\|)/g)) {
    const start = from + index + cell.length - cell.trimStart().length
    row.append(el(tag, {}, ...pieces(block, start, Math.max(start, from + index + cell.trimEnd().length)).map(unescaped)))
  }
  if (row.querySelector('mark:not(.also)')) row.className = 'cited'
  return row
}

function unescaped(node) {
  if (typeof node === 'string') return node.replaceAll('\\|', '|')
  node.textContent = node.textContent.replaceAll('\\|', '|')
  return node
}

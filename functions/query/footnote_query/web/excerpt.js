// Where the sentences that answer stand in an excerpt, as it is shown. Letters and digits are compared, and words as wholes, so that
// neither Markdown nor white space matters.

import { htmlOf } from './markup.js'

const SIGN = /[\p{L}\p{M}\p{N}]/u
const OTHERS = /[^\p{L}\p{M}\p{N}]+/gu
const ITEM = /^\s*(?:[-*•◦▪]|\d{1,9}[.)])\s+/ // the mark of a list's item, which is not shown as text
const MORE = /^… \d+\D{1,12}$/ // “… 9 more”, in any language
const ENTITIES = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

/** Whether this is the last item of a list, which counts what is left out. */
export const isMore = text => MORE.test(text.trim())

/** `runs`: the texts of the excerpt, `{ text, block }`; `source`: its citation with the passage. → `marks`: the parts that answer, from and
 * to a `[run, offset]`, with `which`, the index in `bounds` of the best sentence in it, [] where nothing was found; `isAll`: nothing else is in
 * the excerpt; `which`: that of the best one of all. */
export function answeringIn(runs, source) {
  const signs = signsOf(runs)
  const block = place => runs[signs[place].run].block
  const found = []
  let from = 0
  for (const { bound, text, row } of sentencesOf(source)) {
    const [first, end] = row ? findRow(signs, row, from, block) : findWords(signs, keyOf(text), from)
    if (!end) continue
    const before = found.at(-1)
    if (before?.end === first && block(first) === block(first - 1)) Object.assign(before, { end, last: text, which: Math.min(before.which, bound) })
    else found.push({ first, end, text, last: text, which: bound })
    from = end
  }
  const isAll = found.reduce((left, { first, end }) => left - (end - first), signs.length) === 0
  const [which] = found.map(each => each.which).sort((a, b) => a - b)
  return { marks: found.map(each => markOf(runs, signs, each)), isAll, which }
}

/** The letters and digits with their places; `begins`: a word begins there. */
function signsOf(runs) {
  const signs = []
  let inWord = null // the block of the character before, if that is a letter or digit
  runs.forEach(({ text, block }, run) => {
    let offset = 0
    for (const sign of text) {
      const isSign = SIGN.test(sign)
      if (isSign) for (let unit = 0; unit < sign.length; unit += 1) signs.push({ sign: sign[unit], run, offset: offset + unit, begins: unit === 0 && inWord !== block })
      inWord = isSign ? block : null
      offset += sign.length
    }
  })
  return signs
}

/** The sentences in the order of the passage, those of a table with its cells. Only the best one where the passage is gone. */
function sentencesOf({ content, snippet, bounds }) {
  const points = Array.from(content ?? '')
  const known = (bounds ?? []).map(([start, end], bound) => ({ start, end, bound })).filter(({ end }) => end <= points.length)
  if (known.length === 0) return snippet ? [{ text: snippet.replace(ITEM, ''), bound: 0 }] : []
  return known.sort((a, b) => a.start - b.start).map(({ start, end, bound }) => {
    const text = points.slice(start, end).join('').replace(ITEM, '')
    const line = points.lastIndexOf('\n', start - 1) + 1
    return points[line] === '|' ? { bound, text: text.replace(/[\s|]+$/, ''), row: rowOf(points, line, end) } : { bound, text }
  })
}

/** The rows of a table from the one at `start` to the one that `end` is in: pairs of a column's name and a cell. */
function rowOf(points, start, end) {
  const names = cells(points.slice(0, start).join('').split('\n\n').at(-1).split('\n', 1)[0])
  const after = points.indexOf('\n', end)
  const rows = points.slice(start, after < 0 ? points.length : after).join('').split('\n').map(cells)
  return rows.flatMap(row => row.map((cell, place) => [names[place] ?? '', cell]))
}

const cells = line => line.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).map(keyOf)

/** The letters and digits of a text in Markdown, as they are shown; after a colon, so that it begins no list or heading. */
function keyOf(text) {
  const html = htmlOf(`: ${text.replace(/\s+/g, ' ')}`)
  return html.replace(/<[^>]*>/g, '').replace(/&(?:amp|lt|gt|quot|#39);/g, entity => ENTITIES[entity]).replace(OTHERS, '')
}

/** → the places in `signs` where it begins and ends; [] = it is not there. */
function findWords(signs, words, from) {
  const key = signs.map(({ sign }) => sign).join('')
  for (let first = key.indexOf(words, from); words && first >= 0; first = key.indexOf(words, first + 1)) {
    const end = first + words.length
    if (signs[first].begins && (signs[end]?.begins ?? true)) return [first, end]
  }
  return []
}

/** The same of the first block that consists of cells of a row, in their order, each after its column's name if that is shown. */
function findRow(signs, row, from, block) {
  for (let first = from, end; first < signs.length; first = end) {
    for (end = first; end < signs.length && block(end) === block(first); end += 1);
    let rest = signs.slice(first, end).map(({ sign }) => sign).join('')
    for (const [name, cell] of row) {
      const shown = [name + cell, cell].find(each => rest.startsWith(each))
      if (cell && shown) rest = rest.slice(shown.length)
    }
    if (!rest) return [first, end]
  }
  return []
}

/** With the punctuation before its first sentence and after its last one. */
function markOf(runs, signs, { first, end, text, last, which }) {
  const start = signs[first]
  let { offset } = start
  const before = text.match(/^[^\p{L}\p{M}\p{N}\s]*/u)[0]
  for (const sign of Array.from(before).reverse()) if (runs[start.run].text.slice(0, offset).endsWith(sign)) offset -= sign.length
  let { run, offset: to } = signs[end - 1]
  to += 1
  for (const sign of last.trim().match(/[^\p{L}\p{M}\p{N}\s]*$/u)[0]) {
    const goesOn = to === runs[run].text.length && runs[run + 1]?.block === runs[run].block
    if (runs[run].text.startsWith(sign, to)) to += sign.length
    else if (goesOn && runs[run + 1].text.startsWith(sign)) [run, to] = [run + 1, sign.length]
  }
  return { from: [start.run, offset], to: [run, to], which }
}

// A passage around its best sentences, as it is shown where no sentence answers for certain.

const BEFORE = 160 // code points shown before and after the best sentence
const AFTER = 240
const BREAK = /[.!?。！？]["”’)]?\s|\n/g // where a sentence or line ends
const OPEN = '\uE000' // a marked sentence, while its text is put in order
const CLOSE = '\uE001'
const LINE = /\n(?!\uE000?\s*(?:[-*•]|\d{1,3}[.)])\s)/g // a line break that does not begin a list's line

/** The best sentences, with some text around the first of them: pieces of text, of which every second one, from the second on, is a best
    sentence. Of a row of a table all cells; only the sentence if the passage is gone. */
export function excerptOf({ content, snippet, bounds }) {
  const points = Array.from((content ?? '').replace(/[\uE000\uE001]/g, '\uFFFD'))
  const [[first, last] = []] = bounds ?? []
  if (first === undefined || last > points.length) return ['', snippet]
  const line = points.lastIndexOf('\n', first - 1) + 1
  if (points[line] === '|') return ['', row(points, line, last)]
  const [start, cutBefore] = opening(points, first)
  const [end, cutAfter] = closing(points, last)
  const shown = points.slice(start, end)
  for (const [from, to] of bounds) {
    if (from < start || to > end) continue
    shown[from - start] = OPEN + shown[from - start]
    shown[to - 1 - start] += CLOSE
  }
  const text = `${cutBefore ? '… ' : ''}${tidy(shown.join(''))}${cutAfter ? ' …' : ''}`
  return text.split(/\uE000([^\uE001]*)\uE001/)
}

/** Where the text before the sentence begins, at most at its paragraph's beginning, and whether that cuts the paragraph. */
function opening(points, first) {
  const before = points.slice(0, first).join('').split('\n\n').at(-1)
  const start = first - Array.from(before).length
  if (first - start <= BEFORE) return [start, false]
  const window = points.slice(first - BEFORE, first).join('')
  const found = window.matchAll(BREAK).next().value ?? window.matchAll(/\s/g).next().value
  return [first - BEFORE + (found ? Array.from(window.slice(0, found.index + found[0].length)).length : 0), true]
}

/** Where the text after the sentence ends, and whether that cuts the passage. */
function closing(points, last) {
  if (points.length - last <= AFTER) return [points.length, false]
  const window = points.slice(last, last + AFTER).join('')
  const found = [...window.matchAll(BREAK)].at(-1) ?? [...window.matchAll(/\s/g)].at(-1)
  return [last + (found ? Array.from(window.slice(0, found.index + found[0].length)).length : AFTER), true]
}

/** Rows of a Markdown table, from the line that begins at `first` to the one that holds `last`: cells with the names of their columns. */
function row(points, first, last) {
  const whole = points.join('')
  const [from, to] = [first, last].map(place => points.slice(0, place).join('').length)
  const rest = whole.slice(to - 1).search(/\n|$/)
  const names = cells(whole.slice(whole.lastIndexOf('\n\n', from - 1) + 1, from).trimStart().split('\n', 1)[0])
  return whole.slice(from, to - 1 + rest).split('\n').map(line => named(names, cells(line))).join('\n')
}

const cells = line => line.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).map(cell => cell.trim().replaceAll('\\|', '|'))

function named(names, values) {
  const pairs = names.length === values.length ? values.map((value, place) => (value && names[place] ? `${names[place]}: ${value}` : value)) : values
  return pairs.filter(Boolean).join(' · ')
}

/** Paragraphs and lines of lists on lines of their own, other lines joined. */
const tidy = text => text.trim().replace(/[ \t]*\n\s*\n\s*/g, '\u2029').replace(LINE, ' ').replaceAll('\u2029', '\n')

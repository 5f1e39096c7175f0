// A passage cut to what surrounds a citation's words.

const AROUND = 220 // characters shown before and after the cited words

/** → [before, cited words, after], cut to what surrounds the cited words. `bounds` count Unicode code points. */
export function citedWords({ content, snippet, bounds }, span) {
  const points = Array.from(content ?? '')
  const [start, end] = bounds?.[span] ?? bounds?.[0] ?? []
  if (!(end <= points.length) || !points.slice(start, end).join('').trim()) return ['', snippet ?? '', '']
  const from = Math.max(0, start - AROUND)
  const to = Math.min(points.length, end + AROUND)
  const text = (first, last) => points.slice(first, last).join('')
  const before = from === 0 ? text(0, start) : `… ${text(from, start).replace(/^\S*\s/, '')}`
  return [before, text(start, end), to === points.length ? text(end, to) : `${text(end, to).replace(/\s\S*$/, '')} …`]
}

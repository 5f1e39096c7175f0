// Puts something in place of an answer's citation markers.

/** Replaces the spans by `write(number, span, written)`. Spans count Unicode code points, not JavaScript's UTF-16 units. */
export function placeMarkers(answer, citations, write) {
  const points = Array.from(withoutReserved(answer))
  const places = citations.flatMap(({ number, spans }) => (spans ?? []).map(([start, end], span) => ({ number, span, start, end })))
  places.sort((a, b) => a.start - b.start)
  let text = ''
  let at = 0
  for (const { number, span, start, end } of places) {
    if (start < at || end > points.length) continue // overlapping or out of range: keep the text, drop the marker
    const from = start > at && /[ \t]/.test(points[start - 1]) ? start - 1 : start
    text += points.slice(at, from).join('') + write(number, span, points.slice(from, end).join(''))
    at = end
  }
  return text + points.slice(at).join('')
}

/** Without the characters that this page uses itself while it reads Markdown. */
export const withoutReserved = text => text.replace(/[\uE000-\uE003]/g, '\uFFFD')

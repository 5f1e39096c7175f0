// Charts as SVG: stacked bars and lines over time. Colours are classes, because the content security policy forbids style attributes.

const SVG = 'http://www.w3.org/2000/svg'
const HEIGHT = 200
const EDGE = { top: 12, right: 4, bottom: 24, left: 52 }
const TICKS = 4
const STEPS = [1, 2, 2.5, 5, 10]

/** Draws into `place`, and again when its width changes. → the drawing's observer, which the caller may disconnect.
 * `title`: accessible name; `labels`: of the places on the time axis; `series`: `{name, tone, values}`, a value of null is a gap;
 * `lines`: lines instead of stacked bars; `format`: value → text. */
export function showChart(place, chart) {
  const observer = new ResizeObserver(() => place.replaceChildren(draw(Math.max(place.clientWidth, 200), chart)))
  observer.observe(place)
  return observer
}

function draw(width, { title, labels, series, lines, format }) {
  const sums = labels.map((_, at) => series.map(({ values }) => values[at] ?? 0))
  const most = Math.max(0, ...sums.map(values => (lines ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0))))
  const ticks = ticksUpTo(most)
  const top = ticks.at(-1)
  const x = at => EDGE.left + ((at + 0.5) * (width - EDGE.left - EDGE.right)) / labels.length
  const y = value => HEIGHT - EDGE.bottom - (value / top) * (HEIGHT - EDGE.top - EDGE.bottom)
  const drawing = node('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: 'img', 'aria-label': title })
  for (const tick of ticks) {
    drawing.append(node('line', { class: 'grid', x1: EDGE.left, x2: width - EDGE.right, y1: y(tick), y2: y(tick) }))
    drawing.append(node('text', { class: 'tick', x: EDGE.left - 8, y: y(tick) + 4, 'text-anchor': 'end' }, format(tick)))
  }
  const room = Math.max(1, Math.floor((width - EDGE.left) / 84)) // labels that fit
  const every = Math.ceil(labels.length / room)
  labels.forEach((label, at) => {
    if ((labels.length - 1 - at) % every === 0) {
      const anchor = x(at) > width - 40 ? 'end' : 'middle'
      const place = anchor === 'end' ? width - EDGE.right : x(at)
      drawing.append(node('text', { class: 'tick', x: place, y: HEIGHT - 6, 'text-anchor': anchor }, label))
    }
  })
  drawing.append(...(lines ? drawLines(labels, series, x, y, format) : drawBars(labels, series, x, y, (width - EDGE.left) / labels.length, format)))
  return drawing
}

function drawBars(labels, series, x, y, space, format) {
  const width = Math.max(1, Math.min(28, space * 0.7))
  return labels.flatMap((label, at) => {
    let below = 0
    return series.filter(({ values }) => values[at]).map(({ name, tone, values }) => {
      const [from, to] = [below, (below += values[at])]
      const bar = node('rect', { class: `tone-${tone}`, x: x(at) - width / 2, y: y(to), width, height: Math.max(0.5, y(from) - y(to)) })
      bar.append(node('title', {}, `${label}: ${name} ${format(values[at])}`))
      return bar
    })
  })
}

function drawLines(labels, series, x, y, format) {
  return series.flatMap(({ name, tone, values }) => {
    let path = ''
    values.forEach((value, at) => {
      if (value !== null) path += `${path === '' || values[at - 1] === null ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`
    })
    const dots = values.flatMap((value, at) => {
      if (value === null) return []
      const dot = node('circle', { class: `tone-${tone}`, cx: x(at), cy: y(value), r: values.length > 60 ? 1.5 : 3 })
      dot.append(node('title', {}, `${labels[at]}: ${name} ${format(value)}`))
      return [dot]
    })
    return [node('path', { class: `line tone-${tone}`, d: path }), ...dots]
  })
}

/** Round values from 0 to at least `most`. */
function ticksUpTo(most) {
  if (most <= 0) return [0, 1]
  const size = 10 ** Math.floor(Math.log10(most / TICKS))
  const step = STEPS.map(factor => factor * size).find(step => step * TICKS >= most)
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, at) => at * step)
}

function node(tag, attributes, text = '') {
  const made = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.textContent = text
  return made
}

// The connections of an answer: names and what connects them as a picture, and the same as a list. Whoever chooses a name sees its lines
// and reads what the passages say of it; a line, like a sentence of the list, opens the passage.

import { mostConnected, placeIn, saidOf } from './connections_data.js'
import { el, joined, label, say, shape } from './dom.js'
import { layOut } from './graph_layout.js'
import { addWords, currentLanguage } from './i18n.js'
import de from './i18n/de.connections.js'
import en from './i18n/en.connections.js'
import ko from './i18n/ko.connections.js'
import { openSource } from './source.js'

addWords({ en, de, ko })

const MOST = { wide: 25, narrow: 14 } // names in a picture
const NARROW = 30 // rem of a picture
const LONGEST = 11 // rem of a name in the picture
const KINDS = {
  person: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13z',
  organisation: 'M2 2h12v12H2z',
  place: 'M8 15L1.2 2.5h13.6z',
  product: 'M8 .8L15.2 8 8 15.2.8 8z',
  project: 'M4.4 1.5h7.2L15.2 8l-3.6 6.5H4.4L.8 8z',
  other: 'M8 2a6 6 0 1 1 0 12A6 6 0 1 1 8 2zm0 3.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 1 0 0-5.6z',
}
const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize)
const kindOf = kind => (kind in KINDS ? kind : 'other')

/** `graph`: as in GET /collections/{name}/graph; `sources`: the citations of the answer with their passages. */
export function connectionsView(graph, sources) {
  const isNarrow = innerWidth < NARROW * rem()
  const { nodes, edges } = mostConnected(graph, isNarrow ? MOST.narrow : MOST.wide)
  const sourceOf = new Map(sources.toReversed().map(source => [source.chunk_id, source]))
  const open = ({ text, passage }) => openSource(...citationAt(sourceOf.get(passage), text))
  const numberOf = passage => sourceOf.get(passage)?.number ?? Infinity
  let chosen = null

  const rows = new Map(nodes.map(node => [node.name, rowOf(node, saidOf(node.name, edges, numberOf), { open, numberOf })]))
  const picture = pictureOf(nodes, edges, { choose: toggle, open })
  const title = el('h4', { tabindex: '-1' })
  const leave = () => (choose(null), title.focus())
  const all = say(el('button', { type: 'button', class: 'quiet', onclick: leave }), 'connections_all', { n: nodes.length })
  choose(null)

  function toggle(name) {
    choose(name === chosen ? null : name)
    if (chosen) rows.get(chosen).scrollIntoView({ block: 'nearest' })
  }

  function choose(name) {
    chosen = name
    picture.choose(name)
    say(title, name ? 'connections_of' : 'connections_list', { name: name ?? '' })
    all.hidden = name === null
    for (const [own, row] of rows) {
      row.hidden = name !== null && own !== name
      row.firstChild.open = own === name
    }
  }
  for (const [name, row] of rows) {
    for (const event of ['pointerenter', 'focusin']) row.addEventListener(event, () => picture.light(name))
    for (const event of ['pointerleave', 'focusout']) row.addEventListener(event, () => picture.light(null))
  }
  const connected = mostConnected(graph, Infinity).nodes.length
  return el('section', { class: 'connections' },
    say(el('h3'), 'connections'), say(el('p', { class: 'hint' }), 'connections_text'),
    el('figure', {}, picture.element, legendOf(nodes)),
    nodes.length < connected ? say(el('p', { class: 'hint' }), 'connections_cut', { n: nodes.length, all: connected }) : null,
    el('div', { class: 'connections-head' }, el('div', { role: 'status' }, title), all),
    el('ul', { class: 'connections-list' }, ...rows.values()))
}

/** The arguments of `openSource` for a sentence of a passage; where the passage does not have it, its own words are shown. */
function citationAt(source, text) {
  const bounds = placeIn(source.content ?? '', text)
  if (!bounds) return [source, [source]]
  const shown = { ...source, bounds: [bounds], snippet: Array.from(source.content).slice(...bounds).join(''), quotes: [] }
  return [shown, [shown]]
}

function glyph(kind, size) {
  const transform = `translate(${-size / 2} ${-size / 2}) scale(${size / 16})`
  return shape('path', { class: `kind ${kindOf(kind)}`, d: KINDS[kindOf(kind)], transform })
}

const sign = kind => shape('svg', { class: 'sign', viewBox: '-8 -8 16 16', 'aria-hidden': 'true' }, glyph(kind, 16))

function legendOf(nodes) {
  const kinds = Object.keys(KINDS).filter(kind => nodes.some(node => kindOf(node.kind) === kind))
  if (kinds.join() === 'other') return null // it says nothing
  return el('figcaption', {}, el('ul', {}, ...kinds.map(kind => el('li', {}, sign(kind), say(el('span'), `connections_${kind}`)))))
}

// --- list ----------------------------------------------------------------------------------------

function rowOf({ name, kind }, said, { open, numberOf }) {
  const known = kindOf(kind) === 'other' ? [] : [say(el('span'), `connections_${kind}`)]
  const facts = el('span', { class: 'hint' }, ...joined([...known, say(el('span'), 'connections_said', { n: said.length })], ' · '))
  const sentences = said.map(each => {
    const number = String(numberOf(each.passage))
    const cited = [say(el('span', { class: 'sr-only' }), 'connections_passage'), ' ', el('span', { class: 'number' }, number)]
    const button = el('button', { type: 'button', onclick: () => open(each) }, el('span', {}, each.text), ' ', el('span', {}, ...cited))
    return el('li', {}, button)
  })
  return el('li', {}, el('details', {}, el('summary', {}, sign(kind), el('b', {}, name), ' ', facts), el('ul', {}, ...sentences)))
}

// --- picture -------------------------------------------------------------------------------------

/** → `element`; `choose(name)` marks a name as chosen, `light(name)` shows its lines for now; null = none. */
function pictureOf(nodes, edges, { choose, open }) {
  const place = el('div', { class: 'connections-picture' })
  let drawn = null
  let chosen = null
  const show = lit => {
    drawn?.element.classList.toggle('dimmed', lit !== null)
    const near = new Set([lit])
    for (const { ends, line } of drawn?.lines ?? []) {
      const isLit = ends.includes(lit)
      line.classList.toggle('lit', isLit)
      if (isLit) ends.forEach(name => near.add(name))
    }
    for (const [name, node] of drawn?.nodes ?? []) {
      node.classList.toggle('lit', near.has(name))
      node.setAttribute('aria-pressed', String(name === chosen))
    }
  }
  const light = name => show(name ?? chosen)
  new ResizeObserver(() => {
    const width = place.clientWidth
    if (!width || width === drawn?.width) return
    const at = place.contains(document.activeElement) ? document.activeElement.dataset.name : null // a name has the focus
    drawn = draw(nodes, edges, width, { choose, light, open })
    place.replaceChildren(drawn.element)
    show(chosen)
    if (at) drawn.nodes.get(at).focus()
  }).observe(place)
  return { element: place, light, choose: name => show((chosen = name)) }
}

function draw(nodes, edges, width, { choose, light, open }) {
  const unit = rem()
  const isTouched = matchMedia('(pointer: coarse)').matches
  const size = { text: unit * 0.8125, sign: unit * 0.8, height: unit * (isTouched ? 2 : 1.7), edge: unit * 0.5 }
  const write = widthsOf(size.text)
  const longest = Math.min(LONGEST * unit, width / 2.4)
  const texts = nodes.map(({ name }) => shortened(name, longest, write))
  const boxes = texts.map(text => ({ width: Math.ceil(write(text) + size.sign + size.edge * 2.6), height: size.height }))
  const indices = new Map(nodes.map(({ name }, at) => [name, at]))
  const { places, height } = layOut(boxes, edges.map(({ ends }) => ends.map(name => indices.get(name))), width)
  const lines = edges.map(({ ends, said }) => {
    const [{ x: x1, y: y1 }, { x: x2, y: y2 }] = ends.map(name => places[indices.get(name)])
    const line = shape('g', { class: 'edge', onclick: () => open(said[0]) },
      shape('title', {}, said.map(({ text }) => text).join('\n')),
      shape('line', { class: 'reach', x1, y1, x2, y2 }), shape('line', { x1, y1, x2, y2 }))
    return { ends, line }
  })
  const drawnNodes = new Map(nodes.map(({ name, kind, neighbours }, at) => {
    const { width: wide, height: high } = boxes[at]
    const transform = `translate(${places[at].x} ${places[at].y})`
    const node = shape('g', { class: 'node', role: 'button', tabindex: at ? -1 : 0, transform, onclick: () => choose(name) },
      shape('rect', { x: -wide / 2, y: -high / 2, width: wide, height: high, rx: high / 2 }),
      shape('g', { transform: `translate(${-wide / 2 + size.edge + size.sign / 2} 0)` }, glyph(kind, size.sign)),
      shape('text', { x: -wide / 2 + size.edge * 1.5 + size.sign, 'font-size': size.text, dy: '.35em' }, texts[at]))
    if (texts[at] !== name) node.append(shape('title', {}, name))
    node.dataset.name = name
    // Not pointerenter: a name that scrolls under a resting pointer was not chosen.
    node.addEventListener('pointermove', ({ pointerType }) => pointerType === 'touch' || light(name))
    node.addEventListener('pointerleave', () => light(null))
    node.addEventListener('focus', () => light(name))
    node.addEventListener('blur', () => light(null))
    return [name, label(node, 'connections_node', { name, n: neighbours })]
  }))
  const element = label(shape('svg', { role: 'group', width, height, viewBox: `0 0 ${width} ${height}`, lang: currentLanguage() },
    shape('g', { 'aria-hidden': 'true' }, ...lines.map(({ line }) => line)), ...drawnNodes.values()), 'connections_picture')
  element.addEventListener('keydown', event => steer(event, [...drawnNodes.values()], places))
  return { element, lines, nodes: drawnNodes, width }
}

/** Enter and Space choose a name; the arrow keys go to the nearest one in their direction. Tab reaches one of them. */
function steer(event, nodes, places) {
  const at = nodes.indexOf(event.target)
  if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault()
    return event.target.dispatchEvent(new MouseEvent('click'))
  }
  const [x, y] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? []
  if (x === undefined) return
  event.preventDefault()
  const ways = places.map((place, to) => {
    const [dx, dy] = [place.x - places[at].x, place.y - places[at].y]
    const along = dx * x + dy * y
    return { to, along, cost: along + 2 * Math.abs(dx * y - dy * x) }
  })
  const [next] = ways.filter(({ to, along }) => to !== at && along > 0).sort((a, b) => a.cost - b.cost)
  if (!next) return
  nodes[at].setAttribute('tabindex', -1)
  nodes[next.to].setAttribute('tabindex', 0)
  nodes[next.to].focus()
}

/** → a function: the width of a text in the picture. */
function widthsOf(size) {
  const pen = document.createElement('canvas').getContext('2d')
  pen.font = `${size}px ${getComputedStyle(document.body).fontFamily}`
  return text => pen.measureText(text).width
}

function shortened(name, longest, write) {
  if (write(name) <= longest) return name
  const signs = Array.from(name)
  while (signs.length > 1 && write(`${signs.join('').trimEnd()}…`) > longest) signs.pop()
  return `${signs.join('').trimEnd()}…`
}

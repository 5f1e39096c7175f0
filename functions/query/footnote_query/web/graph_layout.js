// Places the boxes of a graph: related ones near each other, none upon another, and where it can be, no line behind a box that it does not
// lead to. The same graph gets the same places.

const STEPS = 300 // of the forces
const ROUNDS = 400 // of moving boxes apart; lines keep off boxes in the first half of them
const GAP = { x: 14, y: 12 } // pixels between boxes
const TURN = Math.PI * (3 - Math.sqrt(5)) // of a spiral, whose places are even
const TRIES = 12
const FARTHEST = 180 // pixels of the distance 1
const MIDDLE = 0.8 // strength of what draws all to the middle
const LOWEST = 120 // pixels
const AIRY = 2.4 // how much more room there is than the boxes take

/** `boxes`: {width, height}, those with most edges first; `edges`: pairs of their indices; `width`: of the frame. → `places`: the centres
 * {x, y} of the boxes; `height`: of the frame. */
export function layOut(boxes, edges, width) {
  const area = boxes.reduce((sum, box) => sum + (box.width + GAP.x) * (box.height + GAP.y), 0)
  const drawn = pull(boxes.length, edges)
  let height = Math.max(LOWEST, (AIRY * area) / width)
  for (let left = TRIES; ; left -= 1, height *= 1.15) {
    const frame = { boxes, width, height }
    const places = fit(drawn, frame)
    if (moveApart(places, edges, frame) || left === 0) return { places, height }
  }
}

/** Springs along the edges, while all push each other away and are drawn to the middle. The distance of related ones is about 1. */
function pull(count, edges) {
  const spiral = at => ({ x: Math.sqrt(at + 0.5) * Math.cos(at * TURN), y: Math.sqrt(at + 0.5) * Math.sin(at * TURN) })
  const places = Array.from({ length: count }, (_, at) => spiral(at))
  for (let step = 0; step < STEPS; step += 1) {
    const forces = places.map(({ x, y }) => ({ x: -x * MIDDLE, y: -y * MIDDLE }))
    const add = (one, other, strength) => {
      const [dx, dy] = [places[other].x - places[one].x, places[other].y - places[one].y]
      const far = Math.max(Math.hypot(dx, dy), 0.01)
      const force = strength(far) / far
      forces[one].x += dx * force
      forces[one].y += dy * force
      forces[other].x -= dx * force
      forces[other].y -= dy * force
    }
    for (let one = 0; one < count; one += 1) for (let other = 0; other < one; other += 1) add(one, other, far => -1 / far ** 2)
    for (const [one, other] of edges) add(one, other, far => far ** 2)
    const most = 1 - step / STEPS
    forces.forEach(({ x, y }, at) => {
      const scale = Math.min(0.1, most / Math.max(Math.hypot(x, y), 0.01))
      places[at].x += x * scale
      places[at].y += y * scale
    })
  }
  return places
}

/** The places stretched to the frame, the wider side of them along its wider side. */
function fit(drawn, { boxes, width, height }) {
  const turned = span(drawn, 'x') < span(drawn, 'y') === width < height ? drawn : drawn.map(({ x, y }) => ({ x: y, y: x }))
  const along = (axis, size, side) => {
    const values = turned.map(place => place[axis])
    const middle = (Math.min(...values) + Math.max(...values)) / 2
    const stretch = Math.min(FARTHEST, (size - Math.max(...boxes.map(box => box[side]))) / span(turned, axis))
    return values.map(value => size / 2 + (value - middle) * stretch)
  }
  const ys = along('y', height, 'height')
  return along('x', width, 'width').map((x, at) => ({ x, y: ys[at] }))
}

const span = (places, axis) => Math.max(0.01, Math.max(...places.map(place => place[axis])) - Math.min(...places.map(place => place[axis])))

/** → whether no box is upon another. */
function moveApart(places, edges, frame) {
  const { boxes } = frame
  for (let round = 0; round < ROUNDS; round += 1) {
    let isDone = true
    if (round < ROUNDS / 2) for (const edge of edges) places.forEach((_, at) => (isDone = !keepOff(places, edge, at, frame) && isDone))
    for (let one = 0; one < boxes.length; one += 1) {
      for (let other = 0; other < one; other += 1) {
        const [a, b] = [places[one], places[other]]
        const x = (boxes[one].width + boxes[other].width) / 2 + GAP.x - Math.abs(a.x - b.x)
        const y = (boxes[one].height + boxes[other].height) / 2 + GAP.y - Math.abs(a.y - b.y)
        if (x <= 0 || y <= 0) continue
        isDone = isDone && Math.min(x, y) < 1
        const [dx, dy] = y < x ? [0, (a.y < b.y ? -y : y) / 2] : [(a.x < b.x ? -x : x) / 2, 0]
        move(a, boxes[one], frame, dx, dy)
        move(b, boxes[other], frame, -dx, -dy)
      }
    }
    if (isDone) return true
  }
  return false
}

/** Moves a box away from a line behind it. → whether it was moved. */
function keepOff(places, [from, to], at, frame) {
  if (at === from || at === to) return false
  const [a, b, c] = [places[from], places[to], places[at]]
  const long = Math.hypot(b.x - a.x, b.y - a.y) || 1
  const [x, y] = [(b.x - a.x) / long, (b.y - a.y) / long]
  const along = (c.x - a.x) * x + (c.y - a.y) * y
  const off = (c.y - a.y) * x - (c.x - a.x) * y
  const room = (Math.abs(y) * frame.boxes[at].width + Math.abs(x) * frame.boxes[at].height) / 2 + 2
  if (along < 0 || along > long || Math.abs(off) >= room) return false
  const push = (off < 0 ? -1 : 1) * Math.min(3, room - Math.abs(off))
  move(c, frame.boxes[at], frame, -y * push, x * push)
  return true
}

/** Moves a box within the frame. */
function move(place, box, { width, height }, dx, dy) {
  place.x = Math.max(box.width / 2 + 1, Math.min(width - box.width / 2 - 1, place.x + dx))
  place.y = Math.max(box.height / 2 + 1, Math.min(height - box.height / 2 - 1, place.y + dy))
}

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './page.mjs'

const { mostConnected, placeIn, saidOf } = await load('connections_data.js')
const { layOut } = await load('graph_layout.js')

const entity = (name, kind = 'other') => ({ name, kind, passages: ['A#000'] })
const relation = (source, target, text, passage = 'A#000') => ({ source, target, text, passage })
const TOWER = {
  entities: [entity('Hull', 'place'), entity('Ann', 'person'), entity('Tower'), entity('Bob', 'person'), entity('Nobody')],
  relations: [
    relation('Ann', 'Tower', 'Ann built the Tower.', 'B#000'),
    relation('Tower', 'Ann', 'Ann left the Tower.'),
    relation('Tower', 'Hull', 'Ann met Bob at the Tower in Hull.'),
    relation('Ann', 'Hull', 'Ann met Bob at the Tower in Hull.'),
    relation('Ann', 'Bob', 'Ann met Bob at the Tower in Hull.'),
    relation('Ann', 'Ann', 'Ann is Ann.'),
  ],
}

test('the names with most neighbours come first, and none is without one', () => {
  const { nodes, edges } = mostConnected(TOWER, 25)
  assert.deepEqual(nodes.map(({ name, kind, neighbours }) => [name, kind, neighbours]), [['Ann', 'person', 3], ['Hull', 'place', 2], ['Tower', 'other', 2], ['Bob', 'person', 1]])
  assert.deepEqual(edges.map(({ ends }) => ends), [['Ann', 'Tower'], ['Tower', 'Hull'], ['Ann', 'Hull'], ['Ann', 'Bob']])
  assert.deepEqual(edges[0].said.map(({ text }) => text), ['Ann built the Tower.', 'Ann left the Tower.'])
})

test('of many names some are shown, with the lines between them', () => {
  const { nodes, edges } = mostConnected(TOWER, 2)
  assert.deepEqual(nodes.map(({ name, neighbours }) => [name, neighbours]), [['Hull', 1], ['Ann', 1]])
  assert.deepEqual(edges.map(({ ends }) => ends), [['Ann', 'Hull']])
})

test('a sentence is said once of a name, in the order of the citations', () => {
  const { edges } = mostConnected(TOWER, 25)
  const said = saidOf('Ann', edges, passage => ({ 'A#000': 2, 'B#000': 1 })[passage])
  assert.deepEqual(said.map(({ text }) => text), ['Ann built the Tower.', 'Ann left the Tower.', 'Ann met Bob at the Tower in Hull.'])
})

test('a sentence is found in its passage whatever its white space, counted in code points', () => {
  assert.deepEqual(placeIn('🎉 Ann\nbuilt  it (all). Bob left.', 'Ann built it (all).'), [2, 22])
  assert.equal(placeIn('Ann built it.', 'Ann – built – it'), null)
  assert.equal(placeIn('', ''), null)
})

const BOXES = Array.from({ length: 25 }, (_, at) => ({ width: 70 + ((at * 37) % 90), height: 28 }))
const EDGES = BOXES.flatMap((_, at) => (at ? [[at, (at * 7) % at], ...(at % 3 ? [] : [[at, 0]])] : []))

for (const [count, width] of [[1, 300], [2, 600], [14, 340], [25, 600]]) {
  test(`${count} boxes are in a frame of ${width} pixels, apart, and always at the same places`, () => {
    const boxes = BOXES.slice(0, count)
    const edges = EDGES.filter(ends => ends.every(at => at < count))
    const { places, height } = layOut(boxes, edges, width)
    assert.deepEqual(layOut(boxes, edges, width), { places, height })
    assert.ok(height < 900, `${height}`)
    boxes.forEach((box, at) => {
      const { x, y } = places[at]
      assert.ok(x - box.width / 2 >= 0 && x + box.width / 2 <= width && y - box.height / 2 >= 0 && y + box.height / 2 <= height, `${at}: ${x}, ${y}`)
      for (let other = 0; other < at; other += 1) {
        const room = [Math.abs(x - places[other].x) - (box.width + boxes[other].width) / 2, Math.abs(y - places[other].y) - (box.height + boxes[other].height) / 2]
        assert.ok(Math.max(...room) > 0, `${at} is upon ${other}`)
      }
    })
  })
}

test('related boxes are nearer to each other than others', () => {
  const boxes = BOXES.slice(0, 12)
  const edges = boxes.flatMap((_, at) => (at % 6 ? [[at, at - (at % 6)]] : [])) // two stars
  const { places } = layOut(boxes, edges, 600)
  const mean = pairs => pairs.reduce((sum, [a, b]) => sum + Math.hypot(places[a].x - places[b].x, places[a].y - places[b].y), 0) / pairs.length
  const all = boxes.flatMap((_, a) => boxes.slice(0, a).map((_, b) => [a, b]))
  assert.ok(mean(edges) < 0.7 * mean(all.filter(([a, b]) => Math.floor(a / 6) !== Math.floor(b / 6))))
})

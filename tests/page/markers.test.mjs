import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './page.mjs'

const { placeMarkers } = await load('markers.js')
const TEXT = 'It opened ##. It closed.'

for (const [what, spans, placed] of [
  ['one', [[9, 12]], 'It opened[1]. It closed.'],
  ['two at one place', [[9, 12], [9, 12]], 'It opened[1]. It closed.'],
  ['two, of which one is beyond the end', [[9, 12], [10, 99]], 'It opened[1]. It closed.'],
  ['one beyond the end', [[20, 99]], TEXT],
  ['two out of order', [[10, 12], [0, 2]], '[2] opened[1]. It closed.'],
]) {
  test(`markers that overlap or lie outside take no text away: ${what}`, () => {
    const citations = spans.map((span, at) => ({ number: at + 1, spans: [span] }))
    assert.equal(placeMarkers(TEXT, citations, number => `[${number}]`), placed)
  })
}

test('spans count code points, and say which of their citation they are and what was written', () => {
  const placed = placeMarkers('Yes 🎉 [a]. No [a].', [{ number: 3, spans: [[6, 9], [14, 17]] }, { number: 4, spans: null }], (...all) => `{${all}}`)
  assert.equal(placed, 'Yes 🎉{3,0, [a]}. No{3,1, [a]}.')
})

test('an answer has no characters that the page uses itself', () => {
  assert.equal(placeMarkers('a\uE000b\uE001c\uE002d\uE003e', [], () => ''), 'a\uFFFDb\uFFFDc\uFFFDd\uFFFDe')
})

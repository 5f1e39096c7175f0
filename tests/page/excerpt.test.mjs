import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './page.mjs'

const { excerptOf } = await load('excerpt.js')
const MIDDLE = 'The best one is in the middle.'

/** The excerpt around the sentences, which begin where `content` has them first. */
function around(content, ...best) {
  const start = sentence => Array.from(content.slice(0, content.indexOf(sentence))).length
  return excerptOf({ content, snippet: best[0], bounds: best.map(sentence => [start(sentence), start(sentence) + Array.from(sentence).length]) })
}

test('a long passage is cut where sentences begin and end', () => {
  const [before, best, after] = around('A first one. '.repeat(30) + MIDDLE + ' A last one.'.repeat(40), MIDDLE)
  assert.equal(before, `… ${'A first one. '.repeat(12)}`)
  assert.equal(best, MIDDLE)
  assert.equal(after, `${' A last one.'.repeat(19)} …`)
})

for (const [what, content, best, pieces] of [
  ['heading', 'Heading\n\nBefore it. The best one. After it.', ['The best one.'], ['Before it. ', 'The best one.', ' After it.']],
  ['list', '# x 🎉🎉\n\n- one\n- two\n- three', ['- two'], ['- one\n', '- two', '\n- three']],
  ['lines', 'One\nline. Best\nof all. The end.', ['Best\nof all.'], ['One line. ', 'Best of all.', ' The end.']],
  ['table', '| Day | Hours |\n|---|---|\n| Monday | 8 |\n| Sunday | 0 |', ['| Sunday | 0 |'], ['', 'Day: Sunday · Hours: 0']],
  ['several', 'One. Two. Three.', ['One.', 'Three.'], ['', 'One.', ' Two. ', 'Three.', '']],
]) {
  test(`a passage is shown around its best sentence: ${what}`, () => assert.deepEqual(around(content, ...best), pieces))
}

test('only the sentence is shown of a passage that is gone or has changed', () => {
  assert.deepEqual(excerptOf({ content: '', snippet: 'Two.', bounds: [[5, 9]] }), ['', 'Two.'])
  assert.deepEqual(excerptOf({ content: undefined, snippet: 'Two.', bounds: undefined }), ['', 'Two.'])
})

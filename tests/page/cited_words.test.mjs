import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './page.mjs'

const { citedWords } = await load('cited_words.js')

for (const [what, source, words] of [
  ['code points', { content: '🎉 One. Two. Three.', bounds: [[7, 11]] }, ['🎉 One. ', 'Two.', ' Three.']],
  ['withdrawn', { content: '', bounds: [[0, 4]] }, ['', 'Two.', '']],
  ['gone', { content: undefined, bounds: undefined }, ['', 'Two.', '']],
  ['changed', { content: 'Short.', bounds: [[0, 40]] }, ['', 'Two.', '']],
  ['blank', { content: '     One.', bounds: [[0, 4]] }, ['', 'Two.', '']],
  ['long', { content: `${'a '.repeat(300)}Two.${' b'.repeat(300)}`, bounds: [[600, 604]] }, [`… ${'a '.repeat(109)}`, 'Two.', `${' b'.repeat(109)} …`]],
]) {
  test(`the words around a citation are cut at words: ${what}`, () => {
    assert.deepEqual(citedWords({ snippet: 'Two.', ...source }, 0), words)
  })
}

test('a citation with several sentences shows its own, or else the first', () => {
  const source = { content: 'One. Two.', snippet: 'One.', bounds: [[0, 4], [5, 9]] }
  assert.deepEqual(citedWords(source, 1), ['One. ', 'Two.', ''])
  assert.deepEqual(citedWords(source, 2), ['', 'One.', ' Two.'])
})

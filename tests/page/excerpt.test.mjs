import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './page.mjs'

const { answeringIn, isMore } = await load('excerpt.js')
const TABLE = '| Day | Opens | Note |\n| --- | --- | --- |\n| Monday | 8 | 1. ring |\n| Sunday | – | closed |'

/** The marked parts of the blocks, in which [texts] are of one block; `sentences`: those that answer, best first, as the passage has them. */
function marked(blocks, content, sentences, snippet = sentences[0]) {
  const runs = blocks.flatMap((block, place) => [block].flat().map(text => ({ text, block: place })))
  const place = sentence => Array.from(content.slice(0, content.indexOf(sentence))).length
  const bounds = sentences.map(sentence => [place(sentence), place(sentence) + Array.from(sentence).length])
  const { marks, which } = answeringIn(runs, { content, snippet, bounds })
  return [which, ...marks.map(({ from: [first, start], to: [last, end] }) => {
    const texts = runs.slice(first, last + 1).map(({ text }) => text)
    texts.push(texts.pop().slice(0, end))
    return [texts[0].slice(start), ...texts.slice(1)].join('|')
  })]
}

for (const [what, blocks, content, sentences, found] of [
  ['sentence', ['One. Two. Three.'], 'One. Two. Three.', ['Two.'], [0, 'Two.']],
  ['its punctuation', ['One. “Is it $5?” Three.'], 'One. “Is it $5?” Three.', ['“Is it $5?”'], [0, '“Is it $5?”']],
  ['two beside each other', ['One. Two. Three.'], 'One. Two. Three.', ['Two.', 'One.'], [0, 'One. Two.']],
  ['two apart', ['One. Two. Three.'], 'One. Two. Three.', ['Three.', 'One.'], [0, 'One.', 'Three.']],
  ['white space', ['The best one. End.'], 'The\n  best\tone. End.', ['The\n  best\tone.'], [0, 'The best one.']],
  ['emphasis, code and links', [['Use the ', 'north', ' ', 'gate', '. End.']], 'Use the **north** [gate](https://example.com/a1). End.', ['Use the **north** [gate](https://example.com/a1).'], [0, 'Use the |north| |gate|.']],
  ['signs of HTML', ['a < b & c. End.'], 'a < b & c. End.', ['a < b & c.'], [0, 'a < b & c.']],
  ['items', ['Steps:', 'Turn it on.', 'Wait 5 minutes.'], 'Steps:\n\n1. Turn it on.\n2. Wait 5 minutes.', ['2. Wait 5 minutes.', '1. Turn it on.'], [0, 'Turn it on.', 'Wait 5 minutes.']],
  ['items in a line of the passage', ['Ask:', 'hammer', 'saw'], 'Ask:\n- hammer\n- saw', ['- hammer\n- saw'], [0, 'hammer|saw']],
  ['outside the BMP', ['🎉 𝒜 one. Two.'], 'x🎉🎉 🎉 𝒜 one. Two.', ['🎉 𝒜 one.'], [0, '𝒜 one.']],
  ['Korean', ['하나. 둘입니다. 셋.'], '하나. 둘입니다. 셋.', ['둘입니다.'], [0, '둘입니다.']],
  ['row', ['Day: Monday, Opens: 8, Note: 1. ring', 'Day: Sunday, Opens: –, Note: closed'], TABLE, ['| Monday | 8 | 1. ring |'], [0, 'Day: Monday, Opens: 8, Note: 1. ring']],
  ['row with some of its columns', ['Day: Monday, Opens: 8', 'Day: Sunday, Note: closed, …'], TABLE, ['| Sunday | – | closed |'], [0, 'Day: Sunday, Note: closed']],
  ['part of a row', ['Day: Monday, Note: 1. ring', 'Other'], TABLE, ['1. ring |'], [0, 'Day: Monday, Note: 1. ring']],
  ['row without names', ['Monday · 8 · 1. ring', 'Other'], TABLE, ['| Monday | 8 | 1. ring |'], [0, 'Monday · 8 · 1. ring']],
  ['part of another excerpt', ['Three. Four.'], 'One. Two. Three. Four.', ['One.', 'Four.'], [1, 'Four.']],
]) {
  test(`what answers is found in an excerpt as it is shown: ${what}`, () => assert.deepEqual(marked(blocks, content, sentences), found))
}

for (const [what, blocks, content, sentences, found] of [
  ['it is not there', ['Other words.'], 'One. Two.', ['Two.'], [undefined]],
  ['it is a part of a word', ['Yesterday it rained.'], 'Yes. It did.', ['Yes.'], [undefined]],
  ['it has no words', ['One. – Two.'], 'One. – Two.', ['–'], [undefined]],
  ['there is no text', [], 'One.', ['One.'], [undefined]],
]) {
  test(`nothing is marked where ${what}`, () => assert.deepEqual(marked(blocks, content, sentences), found))
}

test('it is told where all of an excerpt answers', () => {
  const isAll = (...texts) => answeringIn(texts.map((text, block) => ({ text, block })), { content: 'One.\n- Two.', snippet: 'One.', bounds: [[0, 4], [5, 11]] }).isAll
  assert.deepEqual([isAll('One.', 'Two.'), isAll('Two.'), isAll('…'), isAll('One.', 'Two.', 'Three.')], [true, true, true, false])
})

test('of a passage that is gone or shorter now, the best sentence is marked', () => {
  const runs = [{ text: 'One. Two.', block: 0 }]
  for (const content of [undefined, '', 'Short']) {
    assert.deepEqual(answeringIn(runs, { content, snippet: 'Two.', bounds: [[5, 9]] }).marks, [{ from: [0, 5], to: [0, 9], which: 0 }])
  }
  assert.deepEqual(answeringIn(runs, { content: '', snippet: '', bounds: [] }), { marks: [], isAll: false, which: undefined })
})

test('the count of what a list leaves out is known by its form', () => {
  for (const text of ['… 9 more', '… 12 weitere', '… 9개 더 ']) assert.ok(isMore(text), text)
  for (const text of ['…', '… more', '9 more', '… 9', '… 9 more of what was said above', 'and … 9 more']) assert.ok(!isMore(text), text)
})

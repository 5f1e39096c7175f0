import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './page.mjs'

const { announced, sourcesOf, standsIn } = await load('meanwhile.js')
const cited = { number: 1, chunk_id: 'a#0', title: 'Handbook', snippet: '28 days.' }
const quote = { content: '**Handbook**\n\n28 days. [^a]', tier: 'answer', citations: [cited], hits: [{ chunk_id: 'a#0', headings: ['Leave'], content: '28 days. Ask HR.' }] }

test('a citation has its passage, which is empty where it is not known', () => {
  assert.deepEqual(sourcesOf(quote), [{ ...cited, headings: ['Leave'], content: '28 days. Ask HR.' }])
  assert.deepEqual(sourcesOf({ ...quote, hits: [] }), [{ ...cited, headings: [], content: '' }])
})

for (const [what, answer, drops] of [
  ['the model answered', 'They receive 28 days [^a].', false],
  ['the model failed', quote.content, true],
  ['the model failed, and a file could not be read', `${quote.content}\n\nfees.pdf could not be read.`, true],
  ['the text of the model is no answer', `Here is the answer:\n\n---\n\n**The documents say:**\n\n${quote.content}`, true],
]) {
  test(`a quote is dropped where the answer holds it: ${what}`, () => assert.equal(standsIn(quote, { answer }), drops))
}

test('without a quote none is dropped', () => assert.equal(standsIn(null, { answer: 'They receive 28 days.' }), false))

test('what may not answer is announced as such', () => {
  assert.deepEqual(announced(quote), ['status_quoted', { n: 1 }])
  assert.deepEqual(announced({ ...quote, tier: 'closest' }), ['status_quoted_closest', { n: 1 }])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './page.mjs'

const { rowsOf, wordsOf } = await load('replay.js')

const WORDS = [{ side: 'old', text: 'Two' }, { side: 'new', text: 'Three' }, { side: 'both', text: ' days.' }]
const TURN = { tier: 'answer', verdict: { score: 0.917 }, confidence: null, model: null, plan: { level: 'basic', strategy: null, retriever: 'cc', limit: 5 }, latency_ms: 12.4, usage: { total_tokens: 0 }, cost: 0 }

test('each side has its own words and those that both have', () => {
  assert.deepEqual(wordsOf(WORDS, 'old'), [['del', 'Two'], ['span', ' days.']])
  assert.deepEqual(wordsOf(WORDS, 'new'), [['ins', 'Three'], ['span', ' days.']])
})

test('what is not known of a turn is a dash, a cost without a price a question mark', () => {
  const rows = Object.fromEntries(rowsOf(TURN, { ...TURN, verdict: null, plan: null, model: 'big', usage: { total_tokens: 9 }, cost: null }).map(([key, ...values]) => [key, values]))
  assert.deepEqual(rows.replay_score, ['0.92', '–'])
  assert.deepEqual(rows.replay_level, ['basic', '–'])
  assert.deepEqual(rows.receipt_maker, ['–', 'big'])
  assert.deepEqual(rows.receipt_cost, ['–', '?'])
})

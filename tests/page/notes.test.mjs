import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './page.mjs'

const { isFlawed, isSaid, noteKeys } = await load('notes.js')
const { knows } = await load('i18n.js')

for (const [turn, keys] of [
  [{ warnings: [] }, []],
  [{ warnings: undefined }, []],
  [{ degraded: true, warnings: [] }, ['degraded']],
  [{ degraded: true, model_failed: true, warnings: ['model_failed'] }, []],
  [{ degraded: true, warnings: ['repetition'] }, ['warning_repetition']],
  [{ vectors_pending: true, persisted: false, warnings: ['cut_length'] }, ['vectors_pending', 'not_saved', 'warning_cut_length']],
  [{ persisted: true, warnings: ['unsupported', 'file_failed'] }, ['warning_unsupported']],
  [{ warnings: ['still_reading'] }, []],
  [{ warnings: ['still_reading', 'budget_search'] }, ['warning_still_reading', 'warning_budget_search']],
  [{ warnings: ['not_known_yet'] }, ['warning_not_known_yet']],
]) {
  test(`what is said about an answer: ${JSON.stringify(turn)}`, () => assert.deepEqual(noteKeys(turn), keys))
}

test('a warning of the budget, and one that the text is no answer, take the place of the notice', () => {
  const said = ['budget_cheaper', 'budget_search', 'uncited', 'empty', 'preamble', 'repetition', 'other_language']
  assert.deepEqual(said.filter(code => !isSaid({ warnings: [code] })), [])
  assert.deepEqual(['cut_length', 'unsupported', 'injection'].filter(code => isSaid({ warnings: [code] })), [])
  assert.deepEqual(said.filter(code => isFlawed([code])), said.slice(2))
  assert.equal(isFlawed(undefined), false)
})

test('the page has a text for every state and for the warnings of the budget and of texts that are no answer', () => {
  const codes = ['budget_cheaper', 'budget_search', 'uncited', 'empty', 'preamble', 'repetition', 'other_language', 'cut_length', 'cut_content_filter']
  assert.deepEqual(['degraded', 'vectors_pending', 'not_saved', ...codes.map(code => `warning_${code}`)].filter(key => !knows(key)), [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './page.mjs'

const { quoteFault } = await load('claims.js')
const { knows } = await load('i18n.js')

test('a quote that is not in the cited passage has a text, one that is or was not asked for has none', () => {
  const states = ['found', 'misattributed', 'stitched', 'not_found']
  const quotes = [null, ...states.map(state => ({ state }))]
  const faults = [0, 1, 2, 3, 4, 5].map(which => quoteFault({ quotes }, which))
  assert.deepEqual(faults, [null, null, 'quote_misattributed', 'quote_stitched', 'quote_not_found', null])
  assert.ok(faults.every(key => key === null || knows(key)))
  assert.equal(quoteFault({}, 0), null)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './page.mjs'

const { pathOf } = await load('document_facts.js')

test('a path is the headings without the title and without those that the next one repeats', () => {
  assert.equal(pathOf({ title: 'Rules', headings: ['Rules', 'Boats', 'Fees'] }), 'Boats › Fees')
  assert.equal(pathOf({ title: 'Form', headings: ['b.xlsx', 'b.xlsx › Boats'] }), 'b.xlsx › Boats')
  assert.equal(pathOf({ title: 'Rules', headings: [], section: 'Fees' }), 'Fees')
  assert.equal(pathOf({ title: 'Rules', section: null }), '')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './page.mjs'

const { toCsv } = await load('csv.js')

test('no cell is a formula, whatever it begins with', () => {
  const cells = ['=1+1', '+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1', '1-1', 'a=b', null, 7]
  assert.equal(toCsv([cells]), '\ufeff\'=1+1,\'+1,\'-1+1,\'@SUM(A1),\'\t=1,"\'\r=1",1-1,a=b,,7\r\n')
})

test('cells with commas, quotes and lines are quoted', () => {
  assert.equal(toCsv([['a,b', 'say "so"', 'one\ntwo'], [null, 0, false]]), '\ufeff"a,b","say ""so""","one\ntwo"\r\n,0,false\r\n')
})

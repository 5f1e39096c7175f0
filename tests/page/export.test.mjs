import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './page.mjs'

const { answerMarkdown, conversationMarkdown, fileName } = await load('export.js')
const { setLanguage } = await load('i18n.js')
const cited = { number: 1, spans: [[10, 12]], title: 'Employee handbook', section: 'Annual leave', page: 2, snippet: 'Employees receive\n28 days.' }
const turn = { question: 'How many\ndays?', answer: 'Yes 🎉, 28 ##.', citations: [cited] }
const NOTE = 'Employee handbook, Annual leave, p. 2: “Employees receive 28 days.”'

test('an answer is written with its sources as footnotes', () => {
  assert.equal(answerMarkdown(turn), `Yes 🎉, 28[^1].\n\n[^1]: ${NOTE}\n`)
})

test('the footnotes of a conversation are numbered from its beginning to its end', () => {
  const written = conversationMarkdown([turn, { question: 'Why?', answer: 'Unknown.', citations: [] }, turn])
  assert.equal(written, `## How many days?\n\nYes 🎉, 28[^1].\n\n[^1]: ${NOTE}\n\n## Why?\n\nUnknown.\n\n## How many days?\n\nYes 🎉, 28[^2].\n\n[^2]: ${NOTE}\n`)
})

test('a source without a page is named by its title alone, a sheet by its name, a page in the language of the reader', () => {
  const noteOf = citation => answerMarkdown({ answer: '', citations: [{ number: 1, title: 'Fees', snippet: 'Five.', ...citation }] })
  assert.equal(noteOf({ page: null }), '[^1]: Fees: “Five.”\n')
  assert.equal(noteOf({ page: 3, unit: 'sheet', section: 'Pier' }), '[^1]: Fees, Sheet “Pier”: “Five.”\n')
  setLanguage('de')
  assert.equal(noteOf({ page: 3 }), '[^1]: Fees, S. 3: “Five.”\n')
  setLanguage('en')
})

test('a file is named by the first question, without what file systems forbid', () => {
  assert.equal(fileName('How many days of annual leave do employees receive?'), 'How many days of annual leave do employees receive.md')
  assert.equal(fileName('a/b\\c: "d" <e>|f*\u0007.exe'), 'a b c   d   e f exe.md')
  assert.equal(fileName('x'.repeat(80)), `${'x'.repeat(60)}.md`)
  assert.equal(fileName('?'), 'Footnote.md')
})

// The catalogues of texts: one key has one text, whichever view has loaded its catalogue, and every language has every key.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'

const FOLDER = new URL('../../functions/query/footnote_query/web/i18n/', import.meta.url)
const SENTENCES = /\.(reasons|sources|backends)\.js$/
const files = readdirSync(FOLDER).filter(name => !SENTENCES.test(name))
const read = async name => Object.entries((await import(new URL(name, FOLDER))).default)

test('no key has two texts', async () => {
  for (const tag of ['en', 'de', 'ko']) {
    const texts = new Map()
    for (const name of files.filter(each => each.startsWith(`${tag}.`))) {
      for (const [key, text] of await read(name)) {
        assert.ok(!texts.has(key) || JSON.stringify(texts.get(key)) === JSON.stringify(text), `${tag}: ${key} is in another catalogue than ${name}, too`)
        texts.set(key, text)
      }
    }
  }
})

test('every language has the keys of English, and their values', async () => {
  const placeholders = text => [...new Set(JSON.stringify(text).match(/\{\w+\}/g))].sort()
  for (const name of files.filter(each => each.startsWith('en.'))) {
    const english = new Map(await read(name))
    for (const tag of ['de', 'ko']) {
      const other = new Map(await read(name.replace('en.', `${tag}.`)))
      assert.deepEqual([...other.keys()].sort(), [...english.keys()].sort(), `${tag}: ${name}`)
      for (const [key, text] of english) assert.deepEqual(placeholders(other.get(key)), placeholders(text), `${tag}: ${key}`)
    }
  }
})

test('every prompt has a description', async () => {
  const prompts = readdirSync(new URL('../../layers/common/footnote/prompts/', import.meta.url)).filter(name => name.endsWith('.en.j2'))
  assert.ok(prompts.length > 20)
  assert.deepEqual((await read('en.prompts.js')).map(([key]) => key).sort(), prompts.map(name => `prompt_${name.split('.')[0]}`).sort())
})

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './page.mjs'

const { droppedFiles, pickedFiles } = await load('folders.js')
const paths = found => found.map(({ path }) => path)
const PATHS = [
  'post/letter 10.txt', 'post/letter 9.txt', 'post/old/1998/letter.txt', 'post/.DS_Store', 'post/~$letter.docx', 'post/.git/config.txt', 'post/Thumbs.db',
  'post/__MACOSX/a.txt', 'post/old/Desktop.ini',
]
const SHOWN = ['post/letter 9.txt', 'post/letter 10.txt', 'post/old/1998/letter.txt']

/** An entry of a dropped folder, as a browser has it: of many entries at most `most` at a time. */
function folder(name, below, most = 100) {
  const entries = Object.entries(below).map(([name, inner]) => (inner && typeof inner === 'object' ? folder(name, inner, most) : file(name, inner)))
  const createReader = () => ({ rest: [...entries], readEntries(found) { found(this.rest.splice(0, most)) } })
  return { name, isDirectory: true, createReader }
}
const file = (name, content) => ({ name, isDirectory: false, file: (found, failed) => (content === null ? failed() : found(content)) })
const dropped = (entry, own = null) => ({ kind: 'file', webkitGetAsEntry: () => entry, getAsFile: () => own })

test('a picked folder brings all its files with their paths, in order, without hidden ones', () => {
  const files = PATHS.map(path => ({ name: path.split('/').at(-1), webkitRelativePath: path }))
  assert.deepEqual(paths(pickedFiles(files)), SHOWN)
})

test('a single file is taken whatever its name is', () => {
  assert.deepEqual(paths(pickedFiles([{ name: '.env', webkitRelativePath: '' }])), ['.env'])
})

test('a dropped folder brings what a picked one does', async () => {
  const post = folder('post', { 'letter 10.txt': 1, 'letter 9.txt': 2, old: { 1998: { 'letter.txt': 3 }, 'desktop.ini': 4 }, '.DS_Store': 5, '~$letter.docx': 6, '.git': { 'config.txt': 7 } })
  const found = await droppedFiles({ items: [dropped(post), { kind: 'string' }, dropped(null, { name: 'alone.txt' })] })
  assert.deepEqual(paths(found), ['alone.txt', ...SHOWN])
})

test('more files than a browser names at a time are all there, and one that cannot be read is null', async () => {
  const many = folder('many', { ...Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`${at}.txt`, at])), 'gone.txt': null })
  const found = await droppedFiles({ items: [dropped(many)] })
  assert.equal(found.length, 251)
  assert.deepEqual(found.find(({ path }) => path === 'many/gone.txt'), { file: null, path: 'many/gone.txt' })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './page.mjs'

const { parseEvents } = await load('sse.js')

async function eventsOf(parts) {
  const body = new ReadableStream({
    start(stream) {
      for (const part of parts) stream.enqueue(new TextEncoder().encode(part))
      stream.close()
    },
  })
  const found = []
  for await (const { id, event } of parseEvents(body)) found.push([id, event])
  return found
}

for (const [what, parts, events] of [
  ['lines', ['id: 1\ndata: {"a": 1}\n\n'], [['1', { a: 1 }]]],
  ['carriage returns', ['id: 1\r\ndata: {"a": 1}\r\n\r\n'], [['1', { a: 1 }]]],
  ['cut anywhere', ['data: {"a": 1}\n', '\n', 'data:{"b": 2}\n\ndata: {"c"'], [[null, { a: 1 }], [null, { b: 2 }]]],
  ['cut within a carriage return', ['data: {"a": 1}\r', '\n\r', '\n'], [[null, { a: 1 }]]],
  ['several lines', [': ping\n\n', 'id: 7\ndata: {"a":\ndata:  "x  y"}\n\n'], [['7', { a: 'x  y' }]]],
  ['spaces', ['data: "  two spaces"\n\n'], [[null, '  two spaces']]],
]) {
  test(`events are read however their lines end and arrive: ${what}`, async () => assert.deepEqual(await eventsOf(parts), events))
}

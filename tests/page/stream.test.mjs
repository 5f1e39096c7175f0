import assert from 'node:assert/strict'
import { mock, test } from 'node:test'

import { load } from './page.mjs'

const listeners = new EventTarget()
globalThis.addEventListener = (...args) => listeners.addEventListener(...args)
Object.assign(document, { hidden: false, addEventListener: globalThis.addEventListener })
Object.defineProperty(crypto, 'subtle', { value: undefined }) // hashing runs in a thread, whose end no clock of the test decides
Object.defineProperty(navigator, 'onLine', { value: true })
const { ask } = await load('stream.js')

const SECOND = 1000

/** A server that sends one token and is gone; after `backAfter` ms it sends the rest. → what the page saw, and when it tried. */
function asked({ backAfter = Infinity } = {}) {
  const seen = { tries: [], events: [], links: [], problem: null, now: 0, isOver: false }
  globalThis.fetch = async () => {
    if (seen.now > 0 || seen.tries.length > 0) {
      seen.tries.push(seen.now)
      if (seen.now < backAfter) throw new TypeError('Failed to fetch')
      return new Response('id: x.2\ndata: {"type": "done"}\n\n')
    }
    seen.tries.push(0)
    return new Response('id: x.1\ndata: {"type": "token"}\n\n', { headers: { 'x-trace-id': 'x' } })
  }
  const read = async () => {
    try {
      const signal = new AbortController().signal
      for await (const event of ask({}, { signal, onLink: up => seen.links.push(up) })) seen.events.push(event.type)
    } catch (problem) {
      seen.problem = problem.message
    }
    seen.isOver = true
  }
  read()
  return seen
}

const settled = async () => {
  for (let n = 0; n < 20; n += 1) await new Promise(setImmediate)
}

async function pass(seen, ms) {
  for (const end = seen.now + ms; seen.now < end && !seen.isOver; ) {
    await settled()
    seen.now += 500
    mock.timers.tick(500)
  }
  await settled()
}

const wake = async name => {
  listeners.dispatchEvent(new Event(name))
  await settled()
}

const clocked = (name, check) => test(name, async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    await check()
  } finally {
    mock.timers.reset()
    document.hidden = false
  }
})

clocked('an answer goes on after two minutes without its server', async () => {
  const seen = asked({ backAfter: 120 * SECOND })
  await pass(seen, 150 * SECOND)
  assert.deepEqual(seen.events, ['token', 'done'])
  assert.equal(seen.links.at(-1), true)
  const pauses = seen.tries.slice(2).map((at, place) => at - seen.tries[place + 1])
  assert.deepEqual(pauses.slice(0, 5), [1000, 2000, 4000, 8000, 15_000])
})

clocked('it is given up after some minutes', async () => {
  const seen = asked()
  await pass(seen, 240 * SECOND)
  assert.equal(seen.isOver, false)
  await pass(seen, 120 * SECOND)
  assert.equal(seen.problem, 'The connection was lost before the answer was complete.')
})

clocked('it goes on at once when the network is back', async () => {
  const seen = asked({ backAfter: 40 * SECOND })
  await pass(seen, 41 * SECOND)
  assert.equal(seen.isOver, false)
  await wake('online')
  assert.deepEqual(seen.events, ['token', 'done'])
})

clocked('a hidden page tries again when it is shown', async () => {
  const seen = asked({ backAfter: 1 })
  await settled()
  document.hidden = true
  await pass(seen, 600 * SECOND)
  assert.deepEqual(seen.events, ['token'])
  document.hidden = false
  await wake('visibilitychange')
  assert.deepEqual(seen.events, ['token', 'done'])
})

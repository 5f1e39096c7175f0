// The events of one question. If the connection is lost, the turn continues on the server:
// the page reconnects with the last event id and resumes from there.

import { openStream, Problem, signedIn } from './api.js'
import { t } from './i18n.js'
import { parseEvents } from './sse.js'

const WAITS_MS = [500, 1000, 2000, 4000, 8000, 15_000] // between tries; then always the last
const GIVE_UP_MS = 300_000 // of waiting in vain while the device is online
const SILENCE_MS = 45_000 // the server sends at least a comment every 15 s; after this silence the connection counts as lost

/** Asks `question`, the body of POST /ask/stream, and yields its events until `done` or `error`.
 * `from`: resume after this id, null = ask again. `onOpen(id)`: the id from which the whole stream can be read again.
 * `onLink(false)`: connection lost, and before each further try; `onLink(true)`: connection restored.
 * Tries again for minutes while the page is visible, and at once when it is shown or the network is back.
 * Ends without an error when `signal` is aborted. Throws a Problem when the stream cannot be resumed. */
export async function* ask(question, { signal, from = null, onOpen = () => {}, onLink = () => {} }) {
  let lastEventId = from
  let tries = 0
  let waited = 0 // ms
  let lost = false
  for (;;) {
    try {
      for await (const { id, event } of connect(question, { signal, lastEventId })) {
        if (lost) onLink(true)
        if (!lastEventId) onOpen(id)
        lost = false
        lastEventId = id ?? lastEventId
        if (event === null) continue
        tries = waited = 0
        yield event
        if (event.type === 'done' || event.type === 'error') return
      }
    } catch (error) {
      if (signal.aborted) return
      if (error.status === 404 && lastEventId) throw new Problem(t('error_forgotten'))
      if (error instanceof Problem && !(lastEventId && mayPass(error))) throw error
    }
    if (signal.aborted) return
    if (!lastEventId || waited >= GIVE_UP_MS) throw new Problem(t('error_cut'))
    onLink(false)
    lost = true
    const wait = WAITS_MS[Math.min(tries, WAITS_MS.length - 1)]
    const woken = await pause(wait, signal)
    tries = woken ? 0 : tries + 1
    if (!woken && navigator.onLine) waited += wait
  }
}

const mayPass = ({ status }) => status === 0 || status >= 500

/** Yields `{id, event}`; the first has no event, only the id from which the turn can be resumed. */
async function* connect(question, { signal, lastEventId }) {
  let silence
  let timer = 0
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENCE_MS)
  }
  const open = () => {
    silence = new AbortController() // sign-in before this takes as long as it takes
    heard()
    return openStream('/ask/stream', question, { signal: AbortSignal.any([signal, silence.signal]), lastEventId })
  }
  try {
    const response = await signedIn(open)
    if (response.status === 204) throw new Problem(t('error_forgotten'), { status: 204 })
    yield { id: lastEventId ?? `${response.headers.get('x-trace-id')}.0`, event: null }
    yield* parseEvents(response.body, heard)
  } finally {
    clearTimeout(timer)
  }
}

/** Waits until `ms` have passed on a visible page, the page is shown, the network is back or `signal` is aborted. → whether it was woken before. */
function pause(ms, signal) {
  return new Promise(resume => {
    const over = new AbortController()
    const end = woken => {
      clearTimeout(timer)
      over.abort()
      resume(woken)
    }
    const timer = setTimeout(() => document.hidden || end(false), ms)
    const wake = () => document.hidden || end(true)
    addEventListener('online', wake, { signal: over.signal })
    document.addEventListener('visibilitychange', wake, { signal: over.signal })
    signal.addEventListener('abort', () => end(true), { signal: over.signal })
  })
}

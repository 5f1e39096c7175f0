// The events of one question. If the connection is lost, the turn continues on the server:
// the page reconnects with the last event id and resumes from there.

import { openStream, Problem, signedIn } from './api.js'
import { t } from './i18n.js'
import { parseEvents } from './sse.js'

const WAITS_MS = [500, 1000, 2000, 4000, 8000]
const SILENCE_MS = 45_000 // the server sends at least a comment every 15 s; after this silence the connection counts as lost

/** Asks `question`, the body of POST /ask/stream, and yields its events until `done` or `error`.
 * `from`: resume after this id, null = ask again. `onOpen(id)`: the id from which the whole stream can be read again.
 * `onLink(false)`: connection lost, `onLink(true)`: connection restored.
 * Ends without an error when `signal` is aborted. Throws a Problem when the stream cannot be resumed. */
export async function* ask(question, { signal, from = null, onOpen = () => {}, onLink = () => {} }) {
  let lastEventId = from
  let tries = 0
  let lost = false
  for (;;) {
    try {
      for await (const { id, event } of connect(question, { signal, lastEventId })) {
        if (lost) onLink(true)
        if (!lastEventId) onOpen(id)
        lost = false
        lastEventId = id ?? lastEventId
        if (event === null) continue
        tries = 0
        yield event
        if (event.type === 'done' || event.type === 'error') return
      }
    } catch (error) {
      if (signal.aborted) return
      if (error.status === 404 && lastEventId) throw new Problem(t('error_forgotten'))
      if (error instanceof Problem && !(lastEventId && mayPass(error))) throw error
    }
    if (signal.aborted) return
    if (!lastEventId || tries === WAITS_MS.length) throw new Problem(t('error_cut'))
    if (!lost) onLink(false)
    lost = true
    await pause(WAITS_MS[tries], signal)
    if (navigator.onLine) tries += 1 // tries while offline do not count
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

/** Waits until `ms` have passed, the network is back or `signal` is aborted. */
function pause(ms, signal) {
  return new Promise(resume => {
    const over = new AbortController()
    const end = () => {
      clearTimeout(timer)
      over.abort()
      resume()
    }
    const timer = setTimeout(end, ms)
    addEventListener('online', end, { signal: over.signal })
    signal.addEventListener('abort', end, { signal: over.signal })
  })
}

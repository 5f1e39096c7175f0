// The routes this page uses. Every failure is a Problem whose message is fit to be shown.

import { t } from './i18n.js'
import { parseEvents } from './sse.js'

export class Problem extends Error {
  constructor(detail, { status = 0, traceId = null } = {}) {
    super(detail)
    this.status = status
    this.traceId = traceId
  }
}

/** A JSON request → the JSON answer; null where there is no body. */
export async function call(method, path, body) {
  const response = await reach(path, { method, ...withJson(body) })
  const text = await response.text()
  return text ? JSON.parse(text) : null
}

/** One question → its events as they arrive. Ends early, without an error, when `signal` is aborted. */
export async function* ask(question, signal) {
  try {
    const response = await reach('/ask/stream', { method: 'POST', signal, ...withJson(question, 'text/event-stream') })
    yield* parseEvents(response.body)
  } catch (error) {
    if (signal.aborted) return
    throw error instanceof Problem ? error : new Problem(t('error_cut'))
  }
}

function withJson(body, accept = 'application/json') {
  if (body === undefined) return { headers: { accept } }
  return { headers: { accept, 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

async function reach(path, options) {
  let response
  try {
    response = await fetch(path, options)
  } catch (error) {
    if (error.name === 'AbortError') throw error
    throw new Problem(t('error_unreachable'))
  }
  if (response.ok) return response
  throw problemOf(response.status, await response.text().catch(() => ''), response.headers.get('x-trace-id'))
}

/** problem+json → Problem; anything else is told by its status alone. */
export function problemOf(status, text, traceId = null) {
  try {
    const problem = JSON.parse(text)
    return new Problem(problem.detail || problem.title, { status, traceId: problem.trace_id ?? traceId })
  } catch {
    return new Problem(t('error_status', { status: String(status) }), { status, traceId })
  }
}

// The routes this page uses. Every failure is a Problem whose message is fit to be shown.

import { t } from './i18n.js'

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

/** Every page of a list, in its order. */
export async function callAll(path, limit = 100) {
  const all = []
  for (let after = null; ;) {
    const page = await call('GET', `${path}?${new URLSearchParams({ limit, ...(after ? { after } : {}) })}`)
    all.push(...page.data)
    if (!page.has_more) return all
    after = page.last_id
  }
}

/** A POST whose reply is read as it comes. `lastEventId`: what was read of it before, null = nothing. */
export function openStream(path, body, { signal, lastEventId = null }) {
  const { headers, body: json } = withJson(body, 'text/event-stream')
  return reach(path, { method: 'POST', signal, body: json, headers: lastEventId ? { ...headers, 'last-event-id': lastEventId } : headers })
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

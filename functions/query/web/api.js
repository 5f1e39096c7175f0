// The routes this page uses. Every failure is a Problem whose message is fit to be shown.
// Where the server wants to know who asks, the reader signs in, and what was asked is asked again.

import { t } from './i18n.js'

export class Problem extends Error {
  constructor(detail, { status = 0, type = '', traceId = null } = {}) {
    super(detail)
    this.status = status
    this.type = type // of the problem, as RFC 9457 has it
    this.traceId = traceId
  }
}

let askToSignIn = async () => {}
let signingIn = null // while somebody is asked, whoever needs it waits for the same
let signIns = 0

/** `ask(again)` resolves when somebody has signed in; `again`: they had, and the server did not notice. */
export const whenSignedOut = ask => (askToSignIn = ask)

function signIn(again) {
  signingIn ??= askToSignIn(again).then(() => {
    signingIn = null
    signIns += 1
  })
  return signingIn
}

/** What `act` resolves to. Where the server refuses it because nobody is signed in, it is done again after somebody is. */
export async function signedIn(act) {
  for (let again = false; ; again = true) {
    const before = signIns
    try {
      return await act()
    } catch (problem) {
      if (problem.status !== 401) throw problem
    }
    if (before === signIns) await signIn(again) // else it was on its way while somebody did
  }
}

/** A JSON request → the JSON answer; null where there is no body. */
export const call = (method, path, body) => signedIn(() => callOnce(method, path, body))

/** The same, but who is not signed in gets the Problem. */
export async function callOnce(method, path, body) {
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

/** A POST whose reply is read as it comes. `lastEventId`: what was read of it before, null = nothing. Once, as `callOnce`. */
export function openStream(path, body, { signal, lastEventId = null }) {
  const { headers, body: json } = withJson(body, 'text/event-stream')
  return reach(path, { method: 'POST', signal, body: json, headers: lastEventId ? { ...headers, 'last-event-id': lastEventId } : headers })
}

function withJson(body, accept = 'application/json') {
  if (body === undefined) return { headers: { accept } }
  return { headers: { accept, 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

async function reach(path, options) {
  const headers = { ...options.headers, ...(options.method === 'GET' ? {} : await hashOf(options.body)) }
  let response
  try {
    response = await fetch(path, { ...options, headers })
  } catch (error) {
    if (error.name === 'AbortError') throw error
    throw new Problem(t('error_unreachable'))
  }
  if (response.ok) return response
  const text = await response.text().catch(() => '')
  throw problemOf(response.status, text, response.headers.get('x-trace-id'), Number(response.headers.get('retry-after')))
}

/** CloudFront signs what it sends to the functions, but reads no bodies: it takes their hash from here, that of nothing too. */
async function hashOf(body = '') {
  if (!crypto.subtle) return {} // it is there on https and on localhost only
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body))
  return { 'x-amz-content-sha256': Array.from(new Uint8Array(hash), byte => byte.toString(16).padStart(2, '0')).join('') }
}

/** problem+json → Problem; anything else is told by its status alone. `wait`: seconds, 0 = the server does not say. */
export function problemOf(status, text, traceId = null, wait = 0) {
  if (status === 429 && wait > 0) return new Problem(t('error_busy', { n: wait }), { status, traceId })
  try {
    const problem = JSON.parse(text)
    return new Problem(problem.detail || problem.title, { status, type: problem.type, traceId: problem.trace_id ?? traceId })
  } catch {
    return new Problem(t('error_status', { status: String(status) }), { status, traceId })
  }
}

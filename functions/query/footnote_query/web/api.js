// The API calls of this page. Every failure is a Problem whose message can be shown.
// On a 401 the user is asked to sign in, then the request is repeated.

import { t } from './i18n.js'

export class Problem extends Error {
  constructor(detail, { status = 0, type = '', traceId = null } = {}) {
    super(detail)
    this.status = status
    this.type = type // problem type of RFC 9457
    this.traceId = traceId
  }
}

let askToSignIn = async () => {}
let signingIn = null // the pending sign-in, shared by all requests that wait for it
let signIns = 0

/** `ask(again)` resolves after sign-in; `again`: the user had just signed in, and the server still returned 401. */
export const whenSignedOut = ask => (askToSignIn = ask)

function signIn(again) {
  signingIn ??= askToSignIn(again).then(() => {
    signingIn = null
    signIns += 1
  })
  return signingIn
}

/** The result of `act`, which is repeated after sign-in if the server returns 401. */
export async function signedIn(act) {
  for (let again = false; ; again = true) {
    const before = signIns
    try {
      return await act()
    } catch (problem) {
      if (problem.status !== 401) throw problem
    }
    if (before === signIns) await signIn(again) // else the user signed in while the request was running
  }
}

/** Sends a JSON request → the JSON response; null if it has no body. */
export const call = (method, path, body) => signedIn(() => callOnce(method, path, body))

/** Like `call`, but a 401 is thrown as a Problem. */
export async function callOnce(method, path, body) {
  const response = await reach(path, { method, ...withJson(body) })
  const text = await response.text()
  return text ? JSON.parse(text) : null
}

/** What was asked for; null if it does not exist. */
export const orNull = asked => asked.catch(problem => (problem.status === 404 ? null : Promise.reject(problem)))

/** All pages of a list, in order. */
export async function callAll(path, limit = 100) {
  const all = []
  for (let after = null; ;) {
    const page = await call('GET', `${path}?${new URLSearchParams({ limit, ...(after ? { after } : {}) })}`)
    all.push(...page.data)
    if (!page.has_more) return all
    after = page.last_id
  }
}

/** A POST whose response is streamed. `lastEventId`: resume after this event, null = from the start. A 401 is thrown, as in `callOnce`. */
export function openStream(path, body, { signal, lastEventId = null }) {
  const { headers, body: json } = withJson(body, 'text/event-stream')
  return reach(path, { method: 'POST', signal, body: json, headers: lastEventId ? { ...headers, 'last-event-id': lastEventId } : headers })
}

function withJson(body, accept = 'application/json') {
  if (body === undefined) return { headers: { accept } }
  return { headers: { accept, 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** An address of this server, `/path`, as pages reach it: they stand in its root, which a proxy may serve below a path. */
export const here = address => address.replace(/^\//, './')

/** The key of the text for a request that got no response. */
export const unreachable = () => (navigator.onLine === false ? 'error_offline' : 'error_unreachable')

async function reach(path, options) {
  const headers = { ...options.headers, ...timeZone(), ...(options.method === 'GET' ? {} : await hashOf(options.body)) }
  let response
  try {
    response = await fetch(here(path), { ...options, headers })
  } catch (error) {
    if (error.name === 'AbortError') throw error
    throw new Problem(t(unreachable()))
  }
  if (response.ok) return response
  const text = await response.text().catch(() => '')
  throw problemOf(response.status, text, response.headers.get('x-trace-id'), Number(response.headers.get('retry-after')))
}

/** The reader's time zone, so that a model can be told the reader's day. */
function timeZone() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return zone ? { 'time-zone': zone } : {}
}

/** CloudFront signs requests to the functions without reading bodies, so the client must send the body's hash, even of an empty body. */
async function hashOf(body = '') {
  if (!crypto.subtle) return {} // exists only on https and localhost
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body))
  return { 'x-amz-content-sha256': Array.from(new Uint8Array(hash), byte => byte.toString(16).padStart(2, '0')).join('') }
}

/** problem+json → Problem; for any other body only the status is known. `wait`: Retry-After in seconds, 0 = absent. */
export function problemOf(status, text, traceId = null, wait = 0) {
  if (status === 429 && wait > 0) return new Problem(t('error_busy', { n: wait }), { status, traceId })
  try {
    const problem = JSON.parse(text)
    return new Problem(problem.detail || problem.title, { status, type: problem.type, traceId: problem.trace_id ?? traceId })
  } catch {
    return new Problem(t('error_status', { status: String(status) }), { status, traceId })
  }
}

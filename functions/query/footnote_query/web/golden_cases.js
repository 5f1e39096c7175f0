// The golden cases that were made of rated answers: which answer has one, making and deleting them.

import { call, callAll } from './api.js'

let cases = new Map() // trace id → id of its case

export async function loadCases() {
  const all = await callAll('/golden')
  cases = new Map(all.filter(each => each.trace_id).map(each => [each.trace_id, each.case_id]))
}

/** The id of the case made of this answer; undefined = none. */
export const caseOf = traceId => cases.get(traceId)

/** `body`: as in POST /golden. It replaces a case of the same question, which may come from another answer. */
export async function makeCase(body) {
  const { case_id: caseId } = await call('POST', '/golden', body)
  forget(caseId)
  cases.set(body.trace_id, caseId)
}

/** One that is not there any more is no failure. */
export async function deleteCase(caseId) {
  try {
    await call('DELETE', `/golden/${encodeURIComponent(caseId)}`)
  } catch (problem) {
    if (problem.status !== 404) throw problem
  }
  forget(caseId)
}

function forget(caseId) {
  for (const [trace, known] of cases) if (known === caseId) cases.delete(trace)
}

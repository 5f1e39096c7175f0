// The documents of an index as the server tells them.

import { call } from './api.js'

const PAGE = 200 // the most that the server gives at once

/** Newest first, page after page until `enough(documents)`. → `{documents, more}`: whether there are further ones. */
export async function listDocuments(collection, enough) {
  const documents = []
  for (let after = null; ;) {
    const page = await call('GET', `/documents?${new URLSearchParams({ collection, limit: PAGE, ...(after && { after }) })}`)
    documents.push(...page.data)
    if (!page.has_more || enough(documents)) return { documents, more: page.has_more }
    after = page.last_id
  }
}

/** The document that an id leads to, with the progress of all vectors; null = it is not there (yet). */
export async function findDocument(docId) {
  try {
    return await call('GET', `/documents/${encodeURIComponent(docId)}`)
  } catch (problem) {
    if (problem.status === 404) return null
    throw problem
  }
}

export const isSettled = ({ state }) => state !== 'RECEIVED' && state !== 'PROCESSING'

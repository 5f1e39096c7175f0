// Loads the documents of a collection.

import { call } from './api.js'
import { learnDocuments } from './format_icon.js'

const PAGE = 200 // the server's maximum

/** Newest first, page by page until `enough(documents)`. → `{documents, more}`; `more`: whether there are further documents. */
export async function listDocuments(collection, enough) {
  const documents = []
  for (let after = null; ;) {
    const page = await call('GET', `/documents?${new URLSearchParams({ collection, limit: PAGE, ...(after && { after }) })}`)
    documents.push(...page.data)
    learnDocuments(page.data)
    if (!page.has_more || enough(documents)) return { documents, more: page.has_more }
    after = page.last_id
  }
}

/** A document by its id, with the progress of all vectors; null = not found (yet). */
export async function findDocument(docId) {
  try {
    return await call('GET', `/documents/${encodeURIComponent(docId)}`)
  } catch (problem) {
    if (problem.status === 404) return null
    throw problem
  }
}

export const isSettled = ({ state }) => state !== 'RECEIVED' && state !== 'PROCESSING'

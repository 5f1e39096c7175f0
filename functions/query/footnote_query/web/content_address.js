// Where a document's content is.

const MOST_BOUNDS = 50 // accepted by the server

/** `as`: `blocks`, `marks`, or null for the original file. `which`: index of the sentence in the citation's `bounds` that becomes the first of
 * the reply's marks. */
export function contentAddress({ doc_id, chunk_id, bounds }, as = null, which = 0) {
  const path = `./documents/${encodeURIComponent(doc_id)}/content`
  if (!as) return path
  const query = new URLSearchParams({ as, ...(chunk_id ? { chunk_id } : {}) })
  for (const each of boundsInOrder(bounds, which).slice(0, MOST_BOUNDS)) query.append('bounds', each)
  return `${path}?${query}`
}

/** The bounds as they are asked for, each once: that of the sentence `which`, then the others. */
export const boundsInOrder = (bounds, which) => [...new Set([bounds?.[which], ...(bounds ?? [])].filter(Boolean).map(([start, end]) => `${start}-${end}`))]

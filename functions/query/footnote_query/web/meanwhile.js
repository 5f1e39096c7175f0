// What is quoted while a language model writes: a `quote` event.

/** The citations of an answer or a quote, each with its passage. */
export const sourcesOf = ({ citations, hits }) => citations.map(citation => ({ ...passageOf(hits, citation), ...citation }))

const passageOf = (hits, { chunk_id: id }) => hits.find(({ chunk_id }) => chunk_id === id) ?? { headings: [], content: '' }

/** Whether the finished turn holds the quote, since its model failed or wrote no answer: then it is not shown twice. */
export const standsIn = (quote, { answer }) => quote !== null && answer.includes(quote.content)

/** What is announced of a quote: key and values. */
export const announced = ({ tier, citations }) => [tier === 'closest' ? 'status_quoted_closest' : 'status_quoted', { n: citations.length }]

// Where the checked sentences of a language model's answer get a mark, and the quotes that it gave for them.

/** Stands for a citation's number where a sentence is doubted. */
export const DOUBT = 'doubt'

/** The citations as they are shown: `spans`, with one more for each sentence that the passage supports without a marker of it; `bounds`, for each of the spans the sentences
 * of the passage that it leads to; `marked`, how many of the spans are the text's own. A last one has the places of doubted sentences. */
export function checkedOf(citations, claims = []) {
  const shown = citations.map(citation => {
    const spans = citation.spans ?? []
    const added = claims.filter(claim => claim.unmarked && !claim.doubted && claim.number === citation.number)
    const bounds = [...spans.map((_, at) => citation.bounds?.[at]), ...added.map(claim => claim.bounds)].map(each => each ?? citation.bounds?.[0])
    return { ...citation, spans: [...spans, ...added.map(behind)], bounds: added.length > 0 ? bounds : citation.bounds, marked: spans.length }
  })
  const doubted = claims.filter(claim => claim.doubted)
  return doubted.length > 0 ? [...shown, { number: DOUBT, spans: doubted.map(behind) }] : shown
}

/** Whether the check put the citation at this place, which the model did not cite there. */
export const isAdded = ({ added, marked }, which) => added || which >= marked

/** The key of what is wrong with the words that the model quoted for one of a citation's markers, null = nothing. */
export function quoteFault({ quotes }, which) {
  const state = quotes?.[which]?.state
  return state && state !== 'found' ? `quote_${state}` : null
}

const behind = ({ end }) => [end, end]

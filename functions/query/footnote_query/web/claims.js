// Where the checked sentences of a language model's answer get a mark, and the quotes that it gave for them.

/** Stands for a citation's number where a sentence is doubted. */
export const DOUBT = 'doubt'

/** The citations, with a place more for each sentence that one of them supports and that has no marker of it, and one that has the places of doubted sentences. */
export function checkedOf(citations, claims = []) {
  const found = citations.map(citation => ({ ...citation, spans: [...(citation.spans ?? []), ...claims.filter(claim => claim.unmarked && !claim.doubted && claim.number === citation.number).map(behind)] }))
  const doubted = claims.filter(claim => claim.doubted)
  return doubted.length > 0 ? [...found, { number: DOUBT, spans: doubted.map(behind) }] : found
}

/** The key of what is wrong with the words that the model quoted for one of a citation's markers, null = nothing. */
export function quoteFault({ quotes }, which) {
  const state = quotes?.[which]?.state
  return state && state !== 'found' ? `quote_${state}` : null
}

const behind = ({ end }) => [end, end]

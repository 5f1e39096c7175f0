// Where the checked sentences of a language model's answer get a mark.

/** Stands for a citation's number where a sentence is doubted. */
export const DOUBT = 'doubt'

/** The citations, with a place more for each sentence that one of them supports and that has no marker of it, and one that has the places of doubted sentences. */
export function checkedOf(citations, claims = []) {
  const found = citations.map(citation => ({ ...citation, spans: [...(citation.spans ?? []), ...claims.filter(claim => claim.unmarked && !claim.doubted && claim.number === citation.number).map(behind)] }))
  const doubted = claims.filter(claim => claim.doubted)
  return doubted.length > 0 ? [...found, { number: DOUBT, spans: doubted.map(behind) }] : found
}

const behind = ({ end }) => [end, end]

// What is said about an answer below it.

/** Why a model's text is no answer. */
const FLAWS = ['uncited', 'empty', 'preamble', 'repetition', 'other_language', 'unfounded']

export const isFlawed = warnings => (warnings ?? []).some(code => FLAWS.includes(code))

/** Whether a warning says what the notice would say. */
export const isSaid = ({ warnings }) => isFlawed(warnings) || (warnings ?? []).some(code => code.startsWith('budget_'))

/** Keys of the texts, in order; of a warning that the page does not know, `warning_` and its code. */
export function noteKeys(turn) {
  const { degraded, model_failed: modelFailed, vectors_pending: pending, persisted, warnings } = turn
  const states = [degraded && !modelFailed && !isFlawed(warnings) && 'degraded', pending && 'vectors_pending', persisted === false && 'not_saved']
  // the text names files that failed, the notice says that the model did, and one of them how many documents are being read
  const isReadingSaid = !isSaid(turn) && !(turn.extractive && turn.tier === 'answer' && !modelFailed)
  const codes = (warnings ?? []).filter(code => !['file_failed', 'model_failed'].includes(code) && (code !== 'still_reading' || !isReadingSaid))
  return [...states, ...codes.map(code => `warning_${code}`)].filter(Boolean)
}

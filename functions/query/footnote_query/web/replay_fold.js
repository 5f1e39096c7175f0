// A fold below an answer, from which its question is asked again. What it shows is loaded when it is first opened.

import { el, say } from './dom.js'
import { loadStyle } from './style_sheet.js'

let loaded = null

/** `trace`: of a stored turn that the reader may replay. */
export function replayFold(trace) {
  const fold = el('details', { class: 'replay' }, say(el('summary'), 'replay'))
  fold.addEventListener('toggle', async () => {
    try {
      loaded ??= Promise.all([import('./replay.js'), loadStyle('web/replay.css')])
      const [{ replayForm }] = await loaded
      fold.append(replayForm(trace))
    } catch {
      loaded = null
      fold.append(say(el('p', { class: 'note failed' }), 'error_unreachable'))
    }
  }, { once: true })
  return fold
}

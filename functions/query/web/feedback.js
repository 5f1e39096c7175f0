// Thumbs up and down on an answer. Up is sent at once, down asks for a reason. The last rating counts.

import { call } from './api.js'
import { el, label, say } from './dom.js'
import { t } from './i18n.js'

/** `given`: the stored rating, up, down or null. */
export function feedbackOn(traceId, given) {
  const up = thumb('up', () => send('up'))
  const down = thumb('down', () => {
    form.hidden = !form.hidden
    if (!form.hidden) reason.focus()
  })
  const reason = el('textarea', { rows: 2, maxlength: 2000, 'data-i18n-placeholder': 'reason_placeholder' })
  const outcome = el('span', { class: 'outcome', role: 'status' })
  const form = el('form', { class: 'reason', hidden: true, onsubmit: event => (event.preventDefault(), send('down', reason.value.trim())) },
    el('label', {}, say(el('span'), 'reason'), reason),
    el('span', {},
      say(el('button', { class: 'primary' }), 'send_feedback'),
      say(el('button', { type: 'button', class: 'quiet', onclick: leave }), 'cancel')))

  showRating(given)
  reason.placeholder = t('reason_placeholder')
  form.addEventListener('keydown', event => event.key === 'Escape' && (event.stopPropagation(), leave()))

  function showRating(rating) {
    up.setAttribute('aria-pressed', rating === 'up')
    down.setAttribute('aria-pressed', rating === 'down')
  }

  function leave() {
    form.hidden = true
    down.focus()
  }

  async function send(rating, text) {
    try {
      await call('POST', '/feedback', { trace_id: traceId, rating, ...(text ? { reason: text } : {}) })
    } catch (problem) {
      outcome.textContent = problem.message
      return
    }
    showRating(rating)
    if (!form.hidden) leave()
    say(outcome, 'thanks')
  }

  return [up, down, outcome, form]
}

function thumb(rating, onclick) {
  return label(el('button', { type: 'button', class: `quiet icon ${rating}`, onclick }), rating)
}

// The rating of an answer: thumbs up is sent at once, thumbs down asks what was wrong. It can be changed and taken back.

import { call } from './api.js'
import { el, label, say } from './dom.js'
import { feedbackForm } from './feedback_form.js'

/** `feedback`: the stored rating, up, down or null. `sources`: the passages that the answer cites. */
export function feedbackOn({ trace_id: traceId, feedback: stored }, sources) {
  const path = `/feedback/${encodeURIComponent(traceId)}`
  let rating = stored ?? null
  let given = rating ? null : {} // what was sent with the rating; null = not loaded yet
  let form = null
  let isBusy = false

  const up = thumb('up', () => (rating === 'up' ? toggle('up') : send({ rating: 'up' })))
  const down = thumb('down', () => toggle('down'))
  const outcome = el('span', { class: 'outcome', role: 'status' })
  const details = say(el('button', { type: 'button', class: 'quiet', onclick: () => toggle(rating) }), 'feedback_details')
  const back = say(el('button', { type: 'button', class: 'quiet', onclick: takeBack }), 'feedback_take_back')
  const place = el('div', { class: 'feedback-place', hidden: true })
  show()

  function show() {
    up.setAttribute('aria-pressed', rating === 'up')
    down.setAttribute('aria-pressed', rating === 'down')
    for (const button of [down, details]) button.setAttribute('aria-expanded', form !== null)
    details.hidden = back.hidden = rating === null
    place.hidden = form === null
  }

  /** Opens the form for this rating, or closes it. */
  async function toggle(wanted) {
    if (form?.rating === wanted) return leave()
    if (!(await load())) return
    form = feedbackForm({ rating: wanted, given: wanted === rating ? given : {}, sources, name: traceId, onSend: send, onLeave: leave })
    place.replaceChildren(form.element)
    tell('')
    show()
    form.focus()
  }

  function leave() {
    const thumbs = { up, down }
    const { rating: shown } = form
    form = null
    place.replaceChildren()
    show()
    thumbs[shown].focus()
  }

  /** Loads what was sent earlier, so that a change keeps the rest. → whether it is known. */
  const load = () => act(async () => (given ??= await call('GET', path).catch(orGone({}))))

  const send = body => act(async () => {
    await call('POST', '/feedback', { trace_id: traceId, ...body })
    given = body
    rating = body.rating
    if (form) leave()
    else show()
    say(outcome, 'thanks')
  })

  function takeBack() {
    return act(async () => {
      await call('DELETE', path).catch(orGone(null))
      const thumbs = { up, down }
      const was = thumbs[rating]
      rating = null
      given = {}
      if (form) leave()
      else show()
      was.focus() // the button is gone
      say(outcome, 'feedback_taken_back')
    })
  }

  /** → whether it worked; otherwise the reason is shown. One thing at a time. */
  async function act(what) {
    if (isBusy) return false
    isBusy = true
    try {
      await what()
      return true
    } catch (problem) {
      tell(problem.message)
      return false
    } finally {
      isBusy = false
    }
  }

  function tell(message) {
    delete outcome.dataset.i18n
    outcome.textContent = message
  }

  return [up, down, outcome, details, back, place]
}

/** A rating that is not there any more is no failure. */
const orGone = value => problem => {
  if (problem.status === 404) return value
  throw problem
}

function thumb(rating, onclick) {
  return label(el('button', { type: 'button', class: `quiet icon ${rating}`, onclick }), rating)
}

// The form below an answer: reasons and tags to choose, a comment, what would have been right, and the sources that answer.

import { placeOf } from './document_facts.js'
import { el, say } from './dom.js'
import { addWords, t } from './i18n.js'
import de from './i18n/de.feedback.js'
import en from './i18n/en.feedback.js'
import ko from './i18n/ko.feedback.js'

addWords({ en, de, ko })

export const REASONS = ['wrong', 'incomplete', 'outdated', 'wrong_source', 'unclear', 'other']
export const TAGS = { up: ['complete', 'clear', 'exact', 'concise'], down: ['too_long', 'too_short', 'too_technical'] }

/** `given`: the fields to begin with, as in POST /feedback. `onSend(body)` gets such fields with the rating, `onLeave()` closes the form. */
export function feedbackForm({ rating, given, sources, name, onSend, onLeave }) {
  const isDown = rating === 'down'
  const { reason = null, comment = null, proposed_answer: proposed = null, tags = [], selected_citations: selected = [] } = given
  const isUsual = reason === null || REASONS.includes(reason)
  const isSelected = ({ chunk_id: chunk, doc_id: doc }) => selected.includes(chunk) || selected.includes(doc)

  const reasons = isDown ? REASONS.map(code => choice('radio', `reason ${name}`, code, code === reason, wordOf('reason', code))) : []
  const offered = [...TAGS[rating], ...tags.filter(tag => !TAGS[rating].includes(tag))] // also tags that another client sent
  const tagged = offered.map(tag => choice('checkbox', 'tag', tag, tags.includes(tag), wordOf('tag', tag)))
  const cited = sources.map(source => choice('checkbox', 'source', source.chunk_id, isSelected(source), ...sourceText(source)))
  const said = area('feedback_comment', 'feedback_comment_hint', 2000, isUsual ? comment : [reason, comment].filter(Boolean).join('\n'))
  const right = isDown ? area('feedback_proposed', 'feedback_proposed_hint', 20_000, proposed) : null

  const element = el(
    'form', { class: 'feedback-form', onsubmit: submit },
    ...group('feedback_reasons', 'chips', reasons), ...group(`feedback_tags_${rating}`, 'chips', tagged),
    said, right, ...group('feedback_sources', 'checks', cited),
    el('div', { class: 'feedback-buttons' },
      say(el('button', { class: 'primary' }), 'send_feedback'),
      say(el('button', { type: 'button', class: 'quiet', onclick: onLeave }), 'cancel')),
  )
  element.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || event.isComposing) return
    event.stopPropagation()
    onLeave()
  })

  function submit(event) {
    event.preventDefault()
    const [code] = chosen(reasons)
    const texts = { comment: valueOf(said), proposed_answer: right && valueOf(right) }
    const filled = Object.fromEntries(Object.entries({ reason: code, ...texts }).filter(([, text]) => text))
    onSend({ rating, ...filled, tags: chosen(tagged), selected_citations: chosen(cited) })
  }

  return { rating, element, focus: () => (element.querySelector('input:checked') ?? element.querySelector('input, textarea')).focus() }
}

/** The word for a usual reason or tag; any other text stays as it is. */
export function wordOf(kind, code) {
  const known = kind === 'reason' ? REASONS : [...TAGS.up, ...TAGS.down]
  return known.includes(code) ? say(el('span'), `${kind}_${code}`) : el('span', {}, code)
}

/** A checkbox or radio button with its text. */
export function choice(type, name, value, checked, ...text) {
  const input = el('input', { type, name, value, checked })
  return el('label', { class: 'choice' }, input, el('span', {}, ...text))
}

/** The values of those that are checked. */
export const chosen = choices => choices.map(each => each.firstChild).filter(({ checked }) => checked).map(({ value }) => value)

/** A named group of choices; none without choices. */
export function group(key, looks, choices) {
  return choices.length ? [el('fieldset', { class: looks }, say(el('legend'), key), el('div', {}, ...choices))] : []
}

/** A text field with its name. `hint`: shown while it is empty, or null. */
export function area(key, hint, maxlength, value) {
  const field = el('textarea', { rows: 2, maxlength, 'data-i18n-placeholder': hint })
  field.placeholder = hint ? t(hint) : ''
  field.value = value ?? ''
  return el('label', { class: 'area' }, say(el('span'), key), field)
}

export const valueOf = labelled => labelled.lastChild.value.trim()

function sourceText({ number, title, page, unit, section }) {
  const [key, values] = placeOf({ page, unit, section })
  return [el('b', {}, String(number)), ` ${title}`, key ? say(el('span', { class: 'page' }), key, values) : ''].flatMap(part => [part, ' '])
}

// Makes a golden case of a rated answer: by one click where the rating says what a good answer cites, else after a choice.

import { el, say } from './dom.js'
import { area, choice, chosen, group, valueOf } from './feedback_form.js'
import { caseOf, deleteCase, makeCase } from './golden_cases.js'

const MOST_FACTS = 20
const LONGEST_FACT = 500

/** `row`: one of GET /feedback. `changed()`: a case was made or deleted. → {element, show()}; `show` follows changes elsewhere. */
export function goldenButton(row, changed) {
  const button = el('button', { type: 'button', class: 'second', onclick: () => act(press) })
  const status = el('span', { class: 'hint', role: 'status' })
  const place = el('div', { class: 'feedback-place', hidden: true })
  let form = null
  let isBusy = false

  function show() {
    const isMade = caseOf(row.trace_id) !== undefined
    say(button, isMade ? 'golden_undo' : 'golden_make')
    button.classList.toggle('made', isMade)
    if (needsChoice(row) && !isMade) button.setAttribute('aria-expanded', form !== null)
    else button.removeAttribute('aria-expanded')
    place.hidden = form === null
  }

  async function press() {
    const made = caseOf(row.trace_id)
    if (form) return leave()
    if (made === undefined && needsChoice(row)) return ask()
    if (made === undefined) await makeCase({ trace_id: row.trace_id })
    else await deleteCase(made)
    changed()
    say(status, made === undefined ? 'golden_made' : 'golden_undone')
  }

  function ask() {
    form = choiceForm(row, body => act(() => save(body)), leave)
    place.replaceChildren(form)
    status.textContent = ''
    show()
    form.querySelector('input, textarea').focus()
  }

  async function save(body) {
    await makeCase({ trace_id: row.trace_id, ...body })
    leave()
    changed()
    say(status, 'golden_made')
  }

  function leave() {
    form = null
    place.replaceChildren()
    show()
    button.focus()
  }

  async function act(what) {
    if (isBusy) return
    isBusy = true
    try {
      await what()
    } catch (problem) {
      if (problem.status === 422 && !form) ask() // a passage is gone, for example: choose another
      delete status.dataset.i18n
      status.textContent = problem.message
    } finally {
      isBusy = false
    }
  }

  show()
  return { element: el('div', { class: 'golden' }, button, status, place), show }
}

/** Whether the rating leaves open what a good answer cites. */
function needsChoice({ rating, selected_citations: selected, citations }) {
  return selected.length === 0 && (rating === 'down' || citations.length === 0)
}

function choiceForm({ trace_id: name, citations, facts }, onSave, onLeave) {
  const passages = citations.map(({ chunk_id: chunk, title, page, snippet }) =>
    choice('checkbox', `passage ${name}`, chunk, false, title, ...pageText(page), el('span', { class: 'hint' }, snippet)))
  const wanted = area('golden_facts', null, null, facts.join('\n'))
  const hint = say(el('p', { class: 'hint', id: `facts-hint-${name}` }), 'golden_facts_hint')
  wanted.lastChild.setAttribute('aria-describedby', hint.id)
  const refusal = choice('checkbox', `refusal ${name}`, 'refusal', false, say(el('span'), 'golden_refusal'))
  const problem = el('p', { class: 'problem', role: 'alert' })
  const answered = el('fieldset', { class: 'plain' }, ...group('golden_passages', 'checks', passages), el('div', {}, wanted, hint))
  const form = el(
    'form', { class: 'feedback-form', novalidate: true, onsubmit: submit }, answered, refusal, problem,
    el('div', { class: 'feedback-buttons' },
      say(el('button', { class: 'primary' }), 'golden_save'),
      say(el('button', { type: 'button', class: 'quiet', onclick: onLeave }), 'cancel')),
  )
  refusal.addEventListener('change', () => (answered.disabled = refusal.firstChild.checked))
  form.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || event.isComposing) return
    event.preventDefault() // the view stays open
    event.stopPropagation()
    onLeave()
  })

  function submit(event) {
    event.preventDefault()
    if (refusal.firstChild.checked) return onSave({ expects: 'refusal' })
    const cited = chosen(passages)
    const lines = valueOf(wanted).split('\n').map(line => line.trim()).filter(Boolean)
    const wrong = lines.length + cited.length === 0 ? 'golden_empty'
      : lines.length > MOST_FACTS ? 'golden_facts_too_many'
        : lines.some(line => line.length > LONGEST_FACT) ? 'golden_fact_too_long' : null
    if (!wrong) return onSave({ passages: cited, facts: lines })
    say(problem, wrong)
    answered.querySelector('input, textarea').focus()
  }

  return form
}

const pageText = page => (page === null ? [] : [' ', say(el('span', { class: 'page' }), 'page_short', { page: String(page) })])

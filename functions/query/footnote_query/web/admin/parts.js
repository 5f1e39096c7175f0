// What all views of the administration are made of: notes, tiles, forms, actions with a result. Tables are in table.js.

import { $, el, say } from '../dom.js'
import { currentLanguage, number, t } from '../i18n.js'

// --- texts and notes -----------------------------------------------------------------------------

export const emptyNote = (key, values) => say(el('p', { class: 'empty hint' }), key, values)
export const hint = (key, values) => say(el('p', { class: 'hint' }), key, values)
export const section = (key, ...body) => el('section', {}, say(el('h3'), key), ...body)
export const tile = (key, value) => el('div', {}, say(el('dt'), key), el('dd', {}, value))
export const badge = (key, state) => say(el('span', { class: 'badge', 'data-state': state }), key)
export const link = (href, text) => el('a', { href: `#/${href}` }, text)
export const code = text => el('code', {}, text)
export const back = (view, key) => el('p', { class: 'up' }, say(el('a', { href: `#/${view}` }), key))

/** `seconds` since 1970 as date and time; “–” for null. */
export function when(seconds) {
  if (seconds == null) return '–'
  const date = new Date(seconds * 1000)
  return el('time', { datetime: date.toISOString() }, date.toLocaleString(currentLanguage(), { dateStyle: 'medium', timeStyle: 'short' }))
}

/** Pairs of a text key and a node. */
export const factList = (...facts) => el('dl', { class: 'facts' }, ...facts.map(([key, node]) => el('div', {}, say(el('dt'), key), el('dd', {}, node))))

export const money = cost => (cost == null ? '–' : number(cost, cost && cost < 1 ? 4 : 2))

/** Why something could not be loaded, with a button to try again. Who is no admin reads only that. */
export function failedNote({ status, message }, again) {
  if (status === 403) return say(el('p', { class: 'note', role: 'alert' }), 'admin_forbidden')
  return el('p', { class: 'note', role: 'alert' }, el('span', {}, message), ' ', button('source_again', again, 'quiet'))
}

/** The part of a view that `read` fills, and fills again when it calls what it is given: what it returns is shown; its problem if it fails, while the rest of the view stays. */
export function filled(read) {
  const body = el('div', {})
  const fill = async () => {
    body.replaceChildren(say(el('p', { class: 'hint' }), 'admin_loading'))
    body.setAttribute('aria-busy', 'true')
    let shown
    try {
      shown = await read(fill)
    } catch (problem) {
      shown = failedNote(problem, fill)
    }
    body.replaceChildren(...[shown].flat())
    body.removeAttribute('aria-busy')
  }
  fill()
  return body
}

/** Shows in one line what came of an action; `key` null: `message` as it is. */
export function tell(key, values = {}, message = '') {
  const line = $('status')
  if (key) return say(line, key, values)
  delete line.dataset.i18n
  line.textContent = message
}

/** Opens another view, which still says what came of the action. */
export function leaveFor(place, key, values = {}) {
  tell(key, values).dataset.keep = ''
  location.hash = `#/${place}`
}

// --- actions -------------------------------------------------------------------------------------

export const button = (key, onclick, look = 'second', values = {}) => say(el('button', { type: 'button', class: look, onclick }), key, values)

/** Runs `work` with the button disabled; a failure is shown. → whether it worked. */
export async function attempt(work, node = null) {
  tell(null)
  if (node) node.disabled = true
  try {
    await work()
    return true
  } catch (problem) {
    tell(null, {}, problem.message)
    return false
  } finally {
    if (node) node.disabled = false
  }
}

/** A button that asks `question` first. `work` is run after “yes”. `look`: of the button. */
export function carefulButton(key, question, work, values = {}, look = 'quiet') {
  const place = el('span', { class: 'careful' })
  const ask = button(key, () => {
    const yes = say(el('button', { type: 'button', class: 'danger', onclick: () => attempt(work, yes) }), key, values)
    const no = button('admin_no', () => (place.replaceChildren(ask), ask.focus()), 'quiet')
    place.replaceChildren(el('span', { role: 'group' }, say(el('span', { role: 'status' }), question, values), ' ', yes, no))
    place.firstChild.addEventListener('keydown', event => event.key === 'Escape' && (event.preventDefault(), no.click()))
    no.focus()
  }, look, values)
  place.append(ask)
  return place
}

// --- forms ---------------------------------------------------------------------------------------

let ids = 0

/** An id of an element that is used nowhere else on the page. */
export const newId = kind => `${kind}-${(ids += 1)}`

/** A labelled field. `about`: a text beneath it, shown as it is. */
export function field(key, input, about = '') {
  input.id ||= newId('field')
  const note = about ? el('span', { class: 'hint', id: `${input.id}-about` }, about) : null
  if (note) input.setAttribute('aria-describedby', note.id)
  return el('div', { class: 'field' }, say(el('label', { for: input.id }), key), input, note)
}

/** A select; `options`: [value, text key or null, text]. */
export function select(options, value = options[0][0], onchange = null) {
  const nodes = options.map(([each, key, text]) => (key ? say(el('option', { value: each }), key) : el('option', { value: each }, text ?? each)))
  const node = el('select', { ...(onchange && { onchange }) }, ...nodes)
  node.value = value
  return node
}

/** A form whose `save` may throw: then the reason is shown beneath, and the form stays as it is. */
export function form(children, submit, save) {
  const problem = el('p', { class: 'problem', role: 'alert' })
  const node = el('form', { class: 'form', novalidate: true }, ...children, problem,
    el('div', { class: 'acts' }, say(el('button', { type: 'submit', class: 'primary' }), submit)))
  node.addEventListener('input', () => (node.dataset.changed = ''))
  node.addEventListener('submit', async event => {
    event.preventDefault()
    const act = node.querySelector('[type=submit]')
    act.disabled = true
    problem.textContent = ''
    tell(null)
    try {
      await save()
      delete node.dataset.changed
    } catch ({ message }) {
      problem.textContent = message
    } finally {
      act.disabled = false
    }
  })
  return node
}

/** The entries of a comma-separated text. */
export const listed = text => text.split(',').map(each => each.trim()).filter(Boolean)

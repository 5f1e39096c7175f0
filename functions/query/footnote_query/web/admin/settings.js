// Every setting with its value, where the value comes from, and its default; one setting with its history, to change, reset and undo.

import { call, callAll, orNull } from '../api.js'
import { el, say } from '../dom.js'
import { attempt, back, badge, button, code, emptyNote, factList, field, form, hint, link, section, select, tell, when } from './parts.js'
import { table } from './table.js'

const asText = value => (value === null ? '–' : typeof value === 'string' ? value || '""' : JSON.stringify(value))
const pathOf = (key, rest = '') => `/settings/${encodeURIComponent(key)}${rest}`
const variableOf = key => key.toUpperCase().replace('.', '__')

export const show = ([key], again) => (key ? one(key, again) : all())

async function all() {
  const settings = await callAll('/settings', 200)
  const rows = table('admin_settings', [
    { name: 'admin_setting', of: ({ key, description }) => el('div', {}, link(`settings/${key}`, key), el('p', { class: 'hint' }, plain(description))), by: ({ key }) => key },
    { name: 'admin_value', of: ({ value }) => code(asText(value)) },
    { name: 'admin_source', of: ({ source }) => badge(`admin_source_${source}`, source === 'runtime' ? 'changed' : ''), by: ({ source }) => source },
    { name: 'admin_default', of: ({ default: usual }) => code(asText(usual)) },
  ], [], { empty: 'admin_no_match' })
  const words = el('input', { type: 'search', oninput: filter })
  const which = select([['', 'admin_settings_all'], ['changeable', 'admin_settings_changeable'], ['changed', 'admin_settings_changed']], '', filter)
  function filter() {
    const wanted = words.value.trim().toLowerCase()
    rows.set(settings.filter(({ key, description, source, changeable }) =>
      `${key} ${variableOf(key)} ${description}`.toLowerCase().includes(wanted)
      && (which.value === '' || (which.value === 'changeable' ? changeable : source !== 'default'))))
  }
  filter()
  return [el('div', { class: 'filters' }, field('admin_search', words), field('admin_show', which)), rows.element]
}

/** A description without its marks of Markdown. */
const plain = text => text.replaceAll('`', '').replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')

// --- one setting ---------------------------------------------------------------------------------

async function one(key, again) {
  const up = back('settings', 'admin_all_settings')
  const [settings, changes] = await Promise.all([
    callAll('/settings', 200),
    orNull(call('GET', pathOf(key, '/history'))),
  ])
  const found = settings.find(each => each.key === key)
  if (!found) return [up, emptyNote('admin_no_setting')]
  return [
    up, el('h3', { class: 'name' }, key), el('p', {}, plain(found.description)),
    factList(
      ['admin_value', code(asText(found.value))], ['admin_default', code(asText(found.default))],
      ['admin_source', say(el('span'), `admin_source_${found.source}`)], ['admin_variable', code(variableOf(key))]),
    found.changeable ? editorOf(found, again) : hint('admin_not_changeable', { variable: variableOf(key) }),
    section('admin_history', historyOf(changes?.data ?? [], key, again)),
  ]
}

function editorOf({ key, value, default: usual, source }, again) {
  const [input, read] = inputFor(value ?? usual)
  const shown = typeof (value ?? usual) === 'boolean' ? String(value) : value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  input.value = shown
  const save = async () => {
    await call('PUT', pathOf(key), { value: read(input.value) })
    tell('admin_saved')
    again()
  }
  const reset = button('admin_reset', () => attempt(async () => {
    await call('PUT', pathOf(key), { value: null })
    tell('admin_saved')
    again()
  }), 'quiet')
  const made = form([field('admin_new_value', input)], 'admin_save', save)
  if (source === 'runtime') made.querySelector('.acts').append(reset)
  return made
}

/** An input for values like this one, and how its text is read. What cannot be read is sent as text: the server says what is valid. */
function inputFor(example) {
  const json = text => {
    try {
      return JSON.parse(text)
    } catch {
      return text
    }
  }
  if (typeof example === 'boolean') return [select([['true', 'admin_on'], ['false', 'admin_off']]), text => text === 'true']
  if (typeof example === 'number') return [el('input', { inputmode: 'decimal', autocomplete: 'off' }), text => json(text.trim().replace(',', '.'))]
  if (typeof example === 'string') return [el('input', { autocomplete: 'off', spellcheck: 'false' }), text => text]
  if (example === null) return [el('input', { autocomplete: 'off', spellcheck: 'false' }), text => json(text)]
  return [el('textarea', { rows: 4, spellcheck: 'false', class: 'mono' }), json]
}

function historyOf(changes, key, again) {
  const undone = new Set(changes.map(({ undoes }) => undoes))
  const isOpen = changes.some(each => each.undoes === null && !undone.has(each.number) && JSON.stringify(each.from) !== JSON.stringify(each.to))
  const configured = value => (value === null ? say(el('span', { class: 'hint' }), 'admin_configured') : code(asText(value)))
  const rows = table('admin_history', [
    { name: 'admin_when', of: ({ at }) => when(at), by: ({ at }) => at },
    { name: 'admin_who', of: ({ by }) => by },
    { name: 'admin_before', of: ({ from }) => configured(from) },
    { name: 'admin_after', of: ({ to }) => configured(to) },
    { name: 'admin_undoes', of: ({ undoes, number }) => (undoes !== null ? say(el('span'), 'admin_undo_of', { n: undoes }) : undone.has(number) ? say(el('span'), 'admin_was_undone') : '–') },
  ], changes, { empty: 'admin_no_history' })
  if (!isOpen) return rows.element
  const undo = button('admin_undo', () => attempt(async () => {
    await call('POST', pathOf(key, '/undo'))
    tell('admin_undone')
    again()
  }, undo))
  return el('div', {}, el('p', {}, undo), rows.element)
}

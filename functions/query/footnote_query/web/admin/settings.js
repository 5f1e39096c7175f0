// Every setting by what it is for, with its value, where that comes from, and its default; one setting with its history, to change, reset
// and undo.

import { call, callAll, orNull } from '../api.js'
import { el, joined, say, watchSearch } from '../dom.js'
import { attempt, back, badge, button, code, emptyNote, factList, field, form, hint, link, section, select, tell, when } from './parts.js'
import { table } from './table.js'

const TOPICS = ['answers', 'search', 'documents', 'model', 'access', 'limits', 'storage', 'operation']
const shown = { words: '', which: '', open: new Set() } // as the list was left, for the way back to it
const asText = value => (value === null ? '–' : typeof value === 'string' ? value || '""' : JSON.stringify(value))
const pathOf = (key, rest = '') => `/settings/${encodeURIComponent(key)}${rest}`

export const show = ([key], again) => (key ? one(key, again) : all(again))

async function all(again) {
  const settings = await callAll('/settings', 200)
  for (const each of settings) {
    each.words = [each.key, ...each.variables, each.description, asText(each.value), asText(each.default)].join(' ').toLowerCase()
  }
  const groups = TOPICS.map(topic => group(topic, settings.filter(each => each.topic === topic), again))
  const words = el('input', { type: 'search' })
  const which = select([['', 'admin_settings_all'], ['changeable', 'admin_settings_changeable'], ['changed', 'admin_settings_changed']], shown.which, filter)
  const count = el('p', { class: 'hint', role: 'status' })
  const none = emptyNote('admin_no_match')
  function filter() {
    Object.assign(shown, { words: words.value, which: which.value })
    const wanted = words.value.trim().toLowerCase()
    const fits = each => each.words.includes(wanted)
      && (which.value === '' || (which.value === 'changeable' ? each.changeable : each.source !== 'default'))
    const n = groups.reduce((sum, each) => sum + each.filter(fits, wanted !== '' || which.value !== ''), 0)
    say(count, 'admin_settings_shown', { n, all: settings.length })
    none.hidden = n > 0
  }
  words.value = shown.words
  watchSearch(words, filter)
  filter()
  return [hint('admin_settings_text'), el('div', { class: 'filters' }, field('admin_search', words), field('admin_show', which)), count, ...groups.map(({ element }) => element), none]
}

/** The settings of a topic, folded. → {element, filter(fits, isOpen) → how many fit} */
function group(topic, settings, again) {
  const rows = table(`admin_settings_${topic}`, [
    { name: 'admin_setting', of: nameOf, by: ({ key }) => key },
    { name: 'admin_value', of: each => valueOf(each, again) },
    { name: 'admin_default', of: ({ default: usual }) => code(asText(usual)) },
    { name: 'admin_changed_where', of: ({ changeable, variables: [variable] }) => (changeable ? say(el('span'), 'admin_here') : code(variable)), by: ({ changeable }) => Number(changeable) },
  ], settings, { empty: 'admin_no_match' })
  const changed = settings.filter(({ source }) => source !== 'default').length
  const count = el('span', { class: 'hint' })
  const element = el('details', { class: 'topic' },
    el('summary', {}, say(el('h3'), `admin_settings_${topic}`), ' ', count, ' ', changed ? say(el('span', { class: 'badge', 'data-state': 'changed' }), 'admin_changed_count', { n: changed }) : null,
      say(el('span', { class: 'hint about' }), `admin_settings_${topic}_text`)),
    rows.element)
  element.addEventListener('toggle', () => !searched && shown.open[element.open ? 'add' : 'delete'](topic))
  let searched = false
  function filter(fits, isSearch) {
    const found = settings.filter(fits)
    searched = isSearch
    rows.set(found)
    say(count, 'admin_settings_count', { n: found.length })
    element.hidden = found.length === 0
    element.open = isSearch || shown.open.has(topic)
    return found.length
  }
  return { element, filter }
}

const nameOf = ({ key, description }) => el('div', {}, link(`settings/${key}`, key), el('p', { class: 'hint' }, plain(description)))

/** The value; if it is not the default, where it comes from, and a way back. */
function valueOf({ key, value, source }, again) {
  if (source === 'default') return code(asText(value))
  const reset = () => button('admin_reset_short', event => attempt(() => resetSetting(key, again), event.currentTarget), 'quiet')
  return el('div', { class: 'changed' }, code(asText(value)), badge(`admin_source_${source}`, 'changed'), source === 'runtime' ? reset() : null)
}

async function resetSetting(key, again) {
  await call('PUT', pathOf(key), { value: null })
  await again()
  tell('admin_reset_done', { key })
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
      ['admin_source', badge(`admin_source_${found.source}`, found.source === 'default' ? '' : 'changed')],
      ['admin_variable', el('span', {}, ...joined(found.variables.map(code), ', '))], ['admin_topic_of', say(el('span'), `admin_settings_${found.topic}`)]),
    found.changeable ? editorOf(found, again) : hint('admin_not_changeable', { variable: found.variables[0] }),
    section('admin_history', historyOf(changes?.data ?? [], key, again)),
  ]
}

function editorOf({ key, value, default: usual, source, choices }, again) {
  const [input, read] = choices.length ? [select(choices.map(each => [each])), text => text] : inputFor(value ?? usual)
  const text = typeof (value ?? usual) === 'boolean' ? String(value) : value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  input.value = text
  const made = form([field('admin_new_value', input)], 'admin_save', async () => {
    await call('PUT', pathOf(key), { value: read(input.value) })
    tell('admin_saved')
    again()
  })
  if (source === 'runtime') made.querySelector('.acts').append(button('admin_reset', () => attempt(() => resetSetting(key, again)), 'quiet'))
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

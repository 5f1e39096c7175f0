// Asks the question of a stored turn again, and shows both turns side by side.

import { call } from './api.js'
import { el, label, say } from './dom.js'
import de from './i18n/de.replay.js'
import en from './i18n/en.replay.js'
import ko from './i18n/ko.replay.js'
import { addWords, number } from './i18n.js'
import { stepOf } from './steps.js'

addWords({ en, de, ko })

const LEVELS = ['basic', 'standard', 'enhanced', 'maximum']
const NONE = '–'
const SIDES = ['old', 'new']

/** `trace`: as in replayFold. */
export function replayForm(trace) {
  const level = el('select', {}, say(el('option', { value: '' }), 'replay_same'), ...LEVELS.map(name => el('option', { value: name }, name)))
  const button = say(el('button', { type: 'submit', class: 'second' }), 'replay_ask')
  const status = el('p', { class: 'hint', role: 'status' })
  const result = el('div', { class: 'replayed' })

  async function ask(event) {
    event.preventDefault()
    if (button.disabled) return
    button.disabled = true
    say(status, 'replay_running')
    try {
      const found = await call('POST', `/turns/${encodeURIComponent(trace)}/replay`, level.value ? { level: level.value } : {})
      result.replaceChildren(...shown(found))
      say(status, found.words.some(({ side }) => side !== 'both') ? 'replay_differs' : 'replay_alike')
    } catch (problem) {
      say(status, 'replay_failed', { detail: problem.message })
    } finally {
      button.disabled = false
    }
  }

  const form = el('form', { onsubmit: ask }, el('label', {}, say(el('span'), 'replay_level'), ' ', level), button)
  return el('div', {}, say(el('p', { class: 'hint' }), 'replay_text'), form, status, result)
}

const shown = found => [texts(found), facts(found), ...options(found), ...passages(found), steps(found)]

function texts({ words, ...found }) {
  return el('div', { class: 'sides' }, ...SIDES.map(side => el('section', {},
    say(el('h4'), `replay_${side}`),
    el('p', { class: 'words' }, ...wordsOf(words, side).map(([tag, text]) => el(tag, {}, text))),
    el('ol', { class: 'cited' }, ...found[side].citations.map(({ number: n, title }) => el('li', { value: n }, title))))))
}

/** The words of one side: [tag, text], with `del` and `ins` around those that the other side lacks. */
export const wordsOf = (words, side) => words.filter(run => run.side === 'both' || run.side === side)
  .map(run => [{ both: 'span', old: 'del', new: 'ins' }[run.side], run.text])

function facts({ old, new: now }) {
  const rows = rowsOf(old, now).map(([key, ...values]) => row(say(el('th', { scope: 'row' }), key), values[0] !== values[1], ...values))
  return table('replay_turns', ['replay_what', 'replay_old', 'replay_new'], rows)
}

/** [key, then, now] of what is shown of the turns. */
export function rowsOf(old, now) {
  const pair = (key, of) => [key, of(old), of(now)]
  const plan = name => turn => String(turn.plan?.[name] ?? NONE)
  return [
    pair('replay_tier', ({ tier }) => tier),
    pair('replay_score', ({ verdict }) => (verdict ? number(verdict.score, 2) : NONE)),
    pair('replay_confidence', ({ confidence }) => (confidence == null ? NONE : number(confidence, 2))),
    pair('receipt_maker', ({ model }) => model ?? NONE),
    ...['level', 'strategy', 'retriever', 'limit'].map(name => pair(`replay_${name}`, plan(name))),
    pair('replay_ms', ({ latency_ms: ms }) => number(ms, 0)),
    pair('receipt_tokens', ({ usage }) => number(usage.total_tokens, 0)),
    pair('receipt_cost', turn => money(turn.usage.total_tokens, turn.cost)),
  ]
}

function options({ options: changed }) {
  if (changed.length === 0) return []
  const rows = changed.map(({ name, is_on: isOn, because }) => row(el('th', { scope: 'row' }, el('code', {}, name)), true,
    ...(isOn ? ['replay_off', 'replay_on'] : ['replay_on', 'replay_off']).map(key => say(el('span'), key)), el('span', { lang: 'en' }, because)))
  return [table('replay_options', ['replay_what', 'replay_old', 'replay_new', 'replay_because'], rows)]
}

function passages({ hits }) {
  if (hits.length === 0) return []
  const rows = hits.map(({ title, section, old, new: now }) => row(el('th', { scope: 'row' }, title, section ? el('small', {}, ` ${section}`) : null), old !== now, old ?? NONE, now ?? NONE))
  return [table('replay_passages', ['column_title', 'replay_old', 'replay_new'], rows)]
}

function steps({ steps: all }) {
  const ms = step => (step ? number(step.ms, step.ms < 10 ? 1 : 0) : NONE)
  const tokens = step => (step?.tokens ? number(step.tokens, 0) : NONE)
  const cost = step => (step ? money(step.tokens, step.cost) : NONE)
  const both = (of, old, now) => (old?.tokens || now?.tokens ? `${of(old)} / ${of(now)}` : '')
  const rows = all.map(({ old, new: now, ...step }) => row(el('th', { scope: 'row' }, stepOf(step)), !old !== !now, ms(old), ms(now), both(tokens, old, now), both(cost, old, now)))
  return table('replay_steps', ['replay_what', 'replay_ms_old', 'replay_ms_new', 'receipt_tokens', 'receipt_cost'], rows)
}

const money = (tokens, cost) => (!tokens ? NONE : cost == null ? '?' : number(cost, 5))

function row(head, isChanged, ...values) {
  return el('tr', { class: isChanged ? 'changed' : null }, head, ...values.map(value => el('td', {}, typeof value === 'number' ? number(value, 0) : value)))
}

function table(name, columns, rows) {
  const head = el('tr', {}, ...columns.map(key => say(el('th', { scope: 'col' }), key)))
  const frame = el('div', { class: 'table', role: 'region', tabindex: '0' }, el('table', {}, el('thead', {}, head), el('tbody', {}, ...rows)))
  return el('section', {}, say(el('h4'), name), label(frame, name))
}

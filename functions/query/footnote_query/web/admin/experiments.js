// Experiments: list, create, start, stop, delete, and their results.

import { call, callAll, orNull } from '../api.js'
import { el, say } from '../dom.js'
import { number } from '../i18n.js'
import { attempt, back, badge, button, carefulButton, code, emptyNote, factList, field, filled, form, hint, leaveFor, link, listed, section, select, tell, when } from './parts.js'
import { table } from './table.js'
import { weights } from './weights.js'

const LOOKS = { RUNNING: 'ok', DRAFT: '', STOPPED: 'missing' }
const LEVELS = ['basic', 'standard', 'enhanced', 'maximum']
const RETRIEVERS = ['rrf', 'bm25', 'knn', 'cc']
const pathOf = (name, rest = '') => `/experiments/${encodeURIComponent(name)}${rest}`
const percent = share => `${number(100 * share)} %`
const stateOf = ({ state }) => badge(`admin_experiment_${state}`, LOOKS[state])

export const show = ([name], again) => (name ? one(name, again) : all())

async function all() {
  const [found, { data: collections }] = await Promise.all([callAll('/experiments'), call('GET', '/collections')])
  const rows = table('admin_experiments', [
    { name: 'admin_experiment', of: ({ name }) => link(`experiments/${name}`, name), by: ({ name }) => name },
    { name: 'admin_state', of: stateOf, by: ({ state }) => state },
    { name: 'admin_assignment', of: each => say(el('span'), `admin_assignment_${each.assignment}`), by: each => each.assignment },
    { name: 'admin_arms', of: ({ arms }) => arms.map(({ name }) => name).join(', ') },
    { name: 'admin_collection', of: each => each.collection ?? say(el('span'), 'admin_every'), by: each => each.collection ?? '' },
    { name: 'admin_started', of: each => when(each.started_at), by: each => each.started_at ?? 0 },
  ], found, { empty: 'admin_no_experiments' })
  return [hint('admin_experiments_text'), rows.element, section('admin_experiment_new', creation(collections)), section('admin_weights', filled(weights))]
}

// --- creating ------------------------------------------------------------------------------------

function creation(collections) {
  const name = el('input', { autocomplete: 'off', maxlength: 40, spellcheck: 'false' })
  const assignment = select([['cohort', 'admin_assignment_cohort'], ['bandit', 'admin_assignment_bandit']])
  const traffic = el('input', { type: 'number', min: 1, max: 100, value: 100 })
  const collection = select([['', 'admin_every'], ...collections.map(each => [each.name])])
  const arms = [armFields('control'), armFields('variant')]
  const list = el('div', { class: 'arms' }, ...arms.map(({ element }) => element))
  const more = button('admin_arm_more', () => {
    arms.push(armFields(''))
    list.append(arms.at(-1).element)
    more.hidden = arms.length === 5
    arms.at(-1).focus()
  }, 'quiet')
  return form([
    el('div', { class: 'filters' }, field('admin_name', name), field('admin_assignment', assignment), field('admin_traffic', traffic), field('admin_collection', collection)),
    hint('admin_arms_text'), list, more,
  ], 'admin_create', async () => {
    await call('POST', '/experiments', {
      name: name.value.trim(), assignment: assignment.value, traffic: Number(traffic.value) / 100, collection: collection.value || null, arms: arms.map(({ read }) => read()) })
    leaveFor(`experiments/${encodeURIComponent(name.value.trim())}`, 'admin_experiment_created')
  })
}

function armFields(called) {
  const name = el('input', { autocomplete: 'off', maxlength: 40, spellcheck: 'false' })
  name.value = called
  const level = select([['', 'admin_unchanged'], ...LEVELS.map(each => [each])])
  const retriever = select([['', 'admin_unchanged'], ...RETRIEVERS.map(each => [each, `retriever_${each}`])])
  const alpha = el('input', { inputmode: 'decimal', autocomplete: 'off' })
  const options = el('input', { autocomplete: 'off', spellcheck: 'false', placeholder: 'rerank, -refine' })
  const prompts = el('input', { autocomplete: 'off', spellcheck: 'false', placeholder: 'system.en=2' })
  const element = el('fieldset', {}, say(el('legend'), 'admin_arm'), field('admin_name', name), field('admin_level', level), field('admin_retriever', retriever),
    field('admin_alpha', alpha), field('admin_options', options), field('admin_prompt_versions', prompts))
  const read = () => ({
    name: name.value.trim(),
    ...(level.value && { level: level.value }),
    ...(retriever.value && { retriever: retriever.value }),
    ...(alpha.value.trim() && { alpha: Number(alpha.value.trim().replace(',', '.')) }),
    options: Object.fromEntries(listed(options.value).map(each => [each.replace(/^-/, ''), !each.startsWith('-')])),
    prompts: Object.fromEntries(listed(prompts.value).map(each => each.split('=')).map(([key, version]) => [key, Number(version)])),
  })
  return { element, read, focus: () => name.focus() }
}

// --- one experiment ------------------------------------------------------------------------------

async function one(name, again) {
  const up = back('experiments', 'admin_all_experiments')
  const found = await orNull(call('GET', pathOf(name)))
  if (!found) return [up, emptyNote('admin_no_experiment')]
  const act = (key, rest, look) => {
    const made = button(key, () => attempt(async () => {
      await call('POST', pathOf(name, rest))
      tell('admin_saved')
      again()
    }, made), look)
    return made
  }
  const remove = carefulButton('remove_yes', 'admin_experiment_question', async () => {
    await call('DELETE', pathOf(name))
    leaveFor('experiments', 'admin_experiment_deleted', { name })
  }, {}, 'second')
  const { verdict } = found
  return [
    up, el('h3', { class: 'name' }, name, ' ', stateOf(found)),
    factList(['admin_assignment', say(el('span'), `admin_assignment_${found.assignment}`)], ['admin_traffic', el('span', {}, percent(found.traffic))],
      ['admin_collection', found.collection ? el('span', {}, found.collection) : say(el('span'), 'admin_every')],
      ['admin_started', when(found.started_at)], ['admin_stopped', when(found.stopped_at)], ['admin_who', el('span', {}, found.created_by)]),
    el('div', { class: 'acts' }, found.state === 'RUNNING' ? act('admin_stop', '/stop', 'second') : act('admin_start', '/start', 'primary'), remove),
    section('admin_results', say(el('p', {}), verdict.winner ? 'admin_winner' : 'admin_undecided', { arm: verdict.winner, p: number(verdict.p_value, 3) }), resultsOf(found)),
    section('admin_arms', armsOf(found)),
    section('admin_replay', replayOf(found)),
  ]
}

/** The arms answer questions that were rated before. */
function replayOf({ name }) {
  const days = el('input', { type: 'number', min: 1, max: 366, value: 90 })
  const turns = el('input', { type: 'number', min: 1, max: 100, value: 20 })
  const place = el('div', { 'aria-live': 'polite' })
  const made = form([hint('admin_replay_text'), el('div', { class: 'filters' }, field('admin_replay_days', days), field('admin_replay_turns', turns))], 'admin_replay_start', async () => {
    place.replaceChildren(hint('admin_replaying'))
    const { liked, disliked, arms } = await call('POST', pathOf(name, '/replay'), { days: Number(days.value), turns: Number(turns.value) })
      .finally(() => place.replaceChildren())
    const rows = arms.flatMap(({ arm, measures }) => measures.map(each => ({ arm, ...each })))
    place.replaceChildren(say(el('p', {}), 'admin_replayed', { liked, disliked }), table('admin_replay', [
      { name: 'admin_arm', of: ({ arm }) => arm, by: ({ arm }) => arm },
      { name: 'admin_metric', of: ({ metric }) => code(metric), by: ({ metric }) => metric },
      { name: 'admin_questions', of: ({ questions }) => number(questions), by: ({ questions }) => questions },
      { name: 'admin_value', of: ({ value }) => between(value), by: ({ value }) => value.mean },
      { name: 'admin_change', of: ({ change }) => (change ? between(change) : '–'), by: ({ change }) => change?.mean ?? 0 },
    ], rows, { empty: 'admin_no_replay' }).element)
  })
  return el('div', {}, made, place)
}

const between = ({ mean, low, high }) => `${number(mean, 3)} (${number(low, 3)} – ${number(high, 3)})`

const resultsOf = ({ results }) => table('admin_results', [
  { name: 'admin_arm', of: ({ arm }) => arm },
  { name: 'admin_share', of: ({ share }) => percent(share), by: ({ share }) => share },
  { name: 'admin_users', of: ({ users }) => number(users), by: ({ users }) => users },
  { name: 'admin_questions', of: ({ turns }) => number(turns), by: ({ turns }) => turns },
  { name: 'admin_ratings', of: ({ ups, downs }) => `+${number(ups)} / −${number(downs)}`, by: ({ ups }) => ups },
  { name: 'admin_rate', of: ({ rate }) => (rate.rate === null ? '–' : `${percent(rate.rate)} (${percent(rate.low)} – ${percent(rate.high)})`), by: ({ rate }) => rate.rate ?? 0 },
], results, { empty: 'admin_no_results' }).element

/** What each arm changes. */
const armsOf = ({ arms }) => table('admin_arms', [
  { name: 'admin_arm', of: ({ name }) => name },
  { name: 'admin_changes', of: arm => changesOf(arm) || say(el('span', { class: 'hint' }), 'admin_control') },
], arms, { empty: 'admin_no_results' }).element

function changesOf({ level, retriever, strategy, alpha, options, prompts }) {
  return [
    level, retriever, strategy, alpha != null && `alpha ${number(alpha, 2)}`,
    ...Object.entries(options ?? {}).map(([name, on]) => `${on ? '+' : '−'}${name}`),
    ...Object.entries(prompts ?? {}).map(([name, version]) => `${name} = ${version}`),
  ].filter(Boolean).join(' · ')
}

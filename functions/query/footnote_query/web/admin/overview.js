// What an admin looks at first: which backends work, what waits, what today costs, when sources were synced.

import { call, callAll } from '../api.js'
import { costNote, hasModel } from '../cost.js'
import { el, say, sayTranslated } from '../dom.js'
import { knows, number, t } from '../i18n.js'
import { connect } from './connect.js'
import { attempt, badge, button, emptyNote, filled, link, money, section, tell, tile, when } from './parts.js'

const FUNCTIONS = ['query', 'ingest', 'feedback', 'stats']
const GRAVEST = ['broken', 'incomplete', 'missing', 'ok']

export const show = (_, again) => [
  section('admin_health', filled(fill => health(fill, again))),
  section('admin_work', filled(work)),
  section('admin_today', filled(today)),
  section('admin_sync', filled(syncs)),
]

// --- health --------------------------------------------------------------------------------------

/** What needs attention, the gravest first, each with what to do; and what works. `again`: loads the whole view anew. */
async function health(fill, again) {
  const [{ data }, sources, ...ready] = await Promise.all([
    call('GET', '/admin/health'), callAll('/sources').catch(() => []), ...FUNCTIONS.map(readiness)])
  const parts = Object.entries(Object.assign({}, ...ready)).map(([part, what]) => ({
    part, state: what === 'ok' ? 'ok' : part === 'documents' ? 'incomplete' : 'broken', detail: what === 'ok' ? '' : what, remedy: '' }))
  const late = sources.filter(({ last_run: run }) => run && run.state !== 'done')
  const unsynced = late.length ? [{ part: 'sources', state: 'incomplete', detail: late.map(({ address }) => address).join(', '), remedy: '' }] : []
  const all = [...parts, ...data, ...unsynced].toSorted((one, other) => GRAVEST.indexOf(one.state) - GRAVEST.indexOf(other.state))
  const problems = all.filter(({ state }) => state !== 'ok')
  const working = all.slice(problems.length)
  const head = problems.length
    ? say(el('p', { class: 'note', 'data-state': problems[0].state, role: 'alert' }), 'admin_attention', { n: problems.length })
    : say(el('p', { class: 'note', 'data-state': 'ok' }), 'admin_all_work')
  return [
    el('div', { class: 'line' }, head, button('admin_check_again', fill, 'quiet')),
    ...(problems.length ? [el('ul', { class: 'parts problems' }, ...problems.map(row => partRow(row, again)))] : []),
    el('details', {}, say(el('summary'), 'admin_working', { n: working.length }), el('ul', { class: 'parts' }, ...working.map(row => partRow(row, row.part === 'model' ? again : null)))),
  ]
}

function partRow({ part, state, detail, remedy }, again) {
  const ways = (again && WAYS[part]?.(again, state)) ?? []
  return el('li', {}, el('span', {}, knows(`admin_part_${part}`) ? say(el('b'), `admin_part_${part}`) : el('b', {}, part), ' ', badge(`admin_state_${state}`, state)),
    detail || remedy ? sayTranslated(el('p', { class: 'hint' }), [detail, remedy].filter(Boolean).join(' ')) : null,
    ways.length ? el('p', { class: 'acts' }, ...ways) : null)
}

/** Part → what an admin can do about it here. */
const WAYS = {
  model: (again, state) => [button(state === 'ok' ? 'change_model' : 'connect_model', () => connect(again))],
  failed_documents: again => {
    const retry = button('admin_retry_all', () => attempt(async () => {
      const { count } = await call('POST', '/documents/retry')
      tell('admin_retried', { n: count })
      await allRead()
      await again()
    }, retry))
    return [retry, say(link('documents/state=FAILED', ''), 'admin_show_failed')]
  },
}

/** Resolves when no document is being read, or after half a minute. */
async function allRead() {
  for (let second = 0; second < 30; second += 1) {
    await new Promise(resolve => setTimeout(resolve, 1000))
    const { documents } = await call('GET', '/ingest/status')
    if (!documents.RECEIVED && !documents.PROCESSING) return
  }
}

/** Part → `ok` or what is wrong. A 503 names the parts, too; a function that does not answer is down itself. */
async function readiness(name) {
  const response = await fetch(`${name}/ready`).catch(() => null)
  const { parts } = (await response?.json().catch(() => null)) ?? {}
  return parts ?? { [`function_${name}`]: t('error_unreachable') }
}

// --- documents and jobs --------------------------------------------------------------------------

async function work() {
  const [{ documents, waiting, vectors, descriptions, outdated }, { data: collections }] = await Promise.all([call('GET', '/ingest/status'), call('GET', '/collections?all=true')])
  const failed = documents.FAILED ?? 0
  const without = vectors ? vectors.total - vectors.done : 0
  return [
    el('dl', { class: 'tiles' },
      tile('admin_documents', number(documents.READY ?? 0)),
      tile('state_PROCESSING', number((documents.RECEIVED ?? 0) + (documents.PROCESSING ?? 0))),
      tile('state_FAILED', failed ? link('documents/state=FAILED', number(failed)) : number(0)),
      tile('admin_waiting', number(waiting - without)),
      tile('admin_without_vectors', vectors ? number(without) : '–'),
      ...(outdated ? [tile('admin_outdated', number(outdated))] : []),
      tile('admin_collections', link('collections', number(collections.filter(({ state }) => state === 'ACTIVE').length)))),
    ...described(descriptions),
  ]
}

/** What the model's descriptions wait for, and what they cost today. */
function described({ state, waiting, seconds, minutes, minutes_limit: minutesLimit, tokens, tokens_limit: tokensLimit, money: cost, money_limit: costLimit }) {
  if (state === 'off') return []
  const of = (spent, limit) => (limit ? `${spent} / ${limit}` : spent)
  const spent = {
    minutes: of(number(minutes, 1), minutesLimit && number(minutesLimit)),
    tokens: of(number(tokens), tokensLimit && number(tokensLimit)),
    cost: of(money(cost), costLimit && money(costLimit)),
  }
  const why = say(el('p', { class: state === 'done' || state === 'waiting' ? 'hint' : 'note' }), `admin_described_${state}`, { n: number(waiting), seconds: number(seconds ?? 0) })
  return [why, say(el('p', { class: 'hint' }), 'admin_described_today', spent)]
}

// --- today ---------------------------------------------------------------------------------------

async function today() {
  const day = new Date().toISOString().slice(0, 10)
  const [{ total, data: models }, connected] = await Promise.all([call('GET', `/stats?${new URLSearchParams({ from: day, to: day, by: 'llm' })}`), hasModel()])
  const shown = el('dl', { class: 'tiles' },
    tile('admin_questions', number(total.turns)),
    tile('admin_cost', money(total.cost)),
    tile('admin_tokens', number(total.total_tokens)),
    tile('admin_unanswered', number(total.refusals)),
    tile('admin_ratings', `+${number(total.feedback_up)} / −${number(total.feedback_down)}`))
  const note = costNote({ total, models, connected, isAdmin: true })
  return [shown, ...(note ? [note] : []), el('p', { class: 'hint' }, say(el('a', { href: 'statistics' }), 'admin_more_statistics'))]
}

// --- sources -------------------------------------------------------------------------------------

async function syncs() {
  const sources = await callAll('/sources')
  if (sources.length === 0) return emptyNote('sources_none')
  const late = ({ last_run: run }) => run?.ended_at ?? 0
  return el('ul', { class: 'parts' }, ...sources.toSorted((one, other) => late(other) - late(one)).map(({ address, collection, last_run: run }) => el('li', {},
    el('span', {}, el('b', {}, address), ' ', run ? badge(`admin_run_${run.state}`, run.state === 'done' ? 'ok' : run.state === 'failed' ? 'broken' : 'missing') : null),
    el('p', { class: 'hint' }, collection, ' · ', run ? when(run.ended_at) : t('admin_never')),
    run ? say(el('p', { class: 'hint' }), run.state === 'done' ? 'sources_counts' : `sources_${run.state}`, { ...run, address }) : null)))
}

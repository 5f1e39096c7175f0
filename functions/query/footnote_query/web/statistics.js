// The statistics page: period and collection, figures, charts and tables. Admins see everybody's turns, others their own.

import { call } from './api.js'
import { costNote, hasModel } from './cost.js'
import { $, el, say } from './dom.js'
import { addWords, currentLanguage, number, setLanguage, t, translatePage } from './i18n.js'
import de from './i18n/de.statistics.js'
import en from './i18n/en.statistics.js'
import ko from './i18n/ko.statistics.js'
import './sign_in.js'
import { chartFigure, emptyNote, failedNote, table, tile } from './statistics_parts.js'

const DAY_MS = 86_400_000
const MOST_SHOWN = 20
addWords({ en, de, ko })

let isAdmin = false
let latest = 0 // the number of the last load: the replies of earlier ones are ignored

const period = () => {
  const to = new Date().toISOString().slice(0, 10)
  const from = new Date(Date.parse(to) - (Number($('period').value) - 1) * DAY_MS).toISOString().slice(0, 10)
  return { from, to, ...($('collection').value && { collection: $('collection').value }) }
}
const addressOf = (by, more = {}) => `./stats?${new URLSearchParams({ ...period(), by, ...more })}`
const share = (part, whole) => (whole ? `${number((100 * part) / whole, part && part < whole ? 1 : 0)} %` : '–')
const seconds = ms => t('seconds', { s: number(ms / 1000, ms % 1000 && ms < 9950 ? 2 : 0) })
const money = cost => (cost === null ? '–' : number(cost, cost && cost < 1 ? 4 : 2))

// --- loading ---

async function load() {
  const mine = (latest += 1)
  const unit = $('period').value === '1' ? 'hour' : 'day'
  $('download').href = addressOf(unit, { format: 'csv' })
  const sections = [
    ['overview', unit, showOverview],
    ['usage', unit, async found => showUsage(found, await call('GET', addressOf('llm')), await hasModel())],
    ['models', 'llm', ({ data }) => groupTable(data, 'llm')],
    ['collections', 'collection', ({ data }) => groupTable(data, 'collection')],
    ...(isAdmin ? [
      ['users', 'user', ({ data }) => groupTable(data.toSorted((one, other) => other.figures.turns - one.figures.turns).slice(0, MOST_SHOWN), 'user')],
      ['questions', 'question', showQuestions],
      ['documents', 'document', showDocuments],
    ] : []),
  ]
  $('main').setAttribute('aria-busy', 'true')
  await Promise.all(sections.map(([id, by, show]) => fill(id, () => call('GET', addressOf(by)), show, mine)))
  if (mine !== latest) return
  $('main').setAttribute('aria-busy', 'false')
  say($('status'), 'stats_loaded')
}

/** Shows what `read` returns in a section; its problem if it fails. */
async function fill(id, read, show, mine) {
  const body = $(`${id}-body`)
  if (!body.hasChildNodes()) body.replaceChildren(say(el('p', { class: 'hint' }), 'stats_loading'))
  try {
    const shown = await show(await read())
    if (mine === latest) body.replaceChildren(...[shown].flat())
  } catch (problem) {
    if (mine === latest) body.replaceChildren(failedNote(problem, load))
  }
}

// --- sections ---

function showOverview({ data, total, by }) {
  if (total.turns === 0) return emptyNote('stats_empty')
  const keys = placesOf(by)
  const found = new Map(data.map(group => [group.key[by], group.figures]))
  const values = pick => keys.map(key => (found.has(key) ? pick(found.get(key)) : 0))
  const known = pick => keys.map(key => (found.has(key) ? pick(found.get(key)) : null))
  const labels = keys.map(key => labelOf(key, by))
  const failed = ({ turns, answered, closest, refusals }) => turns - answered - closest - refusals
  return [
    el('dl', { class: 'tiles' },
      tile('stats_turns', number(total.turns)),
      tile('stats_answered', share(total.answered, total.turns)),
      tile('stats_closest', share(total.closest, total.turns)),
      tile('stats_refusals', share(total.refusals, total.turns)),
      tile('stats_p50', seconds(total.latency_p50_ms)),
      tile('stats_p95', seconds(total.latency_p95_ms)),
      tile('stats_cache_hits', share(total.cache_hits, total.turns)),
      tile('stats_feedback', `+${number(total.feedback_up)} / −${number(total.feedback_down)}`)),
    chartFigure('stats_chart_tiers', labels, number, [
      { name: 'stats_answered', tone: 1, values: values(each => each.answered) },
      { name: 'stats_closest', tone: 2, values: values(each => each.closest) },
      { name: 'stats_refusals', tone: 3, values: values(each => each.refusals) },
      { name: 'stats_errors', tone: 4, values: values(failed) },
    ]),
    chartFigure('stats_chart_latency', labels, seconds, [
      { name: 'stats_p50', tone: 1, values: known(each => each.latency_p50_ms) },
      { name: 'stats_p95', tone: 2, values: known(each => each.latency_p95_ms) },
    ], { lines: true }),
  ]
}

/** What the language models read and wrote, and what it costs: in all, and by day. */
function showUsage({ data, total, by }, { data: models }, connected) {
  const note = costNote({ total, models, connected, isAdmin })
  const tiles = el('dl', { class: 'tiles' },
    tile('stats_turns', number(total.turns)),
    tile('stats_prompt_tokens', number(total.prompt_tokens)),
    tile('stats_completion_tokens', number(total.completion_tokens)),
    tile('stats_cost', money(total.cost)))
  if (total.total_tokens === 0) return [tiles, note]
  const keys = placesOf(by)
  const found = new Map(data.map(group => [group.key[by], group.figures]))
  const values = pick => keys.map(key => (found.has(key) ? pick(found.get(key)) : 0))
  const labels = keys.map(key => labelOf(key, by))
  const used = data.filter(({ figures }) => figures.turns > 0).reverse()
  return [
    tiles, ...(note ? [note] : []),
    ...(total.cost ? [chartFigure('stats_chart_cost', labels, money, [{ name: 'stats_cost', tone: 1, values: values(each => each.cost ?? 0) }])] : []),
    chartFigure('stats_chart_tokens', labels, number, [
      { name: 'stats_prompt_tokens', tone: 1, values: values(each => each.prompt_tokens) },
      { name: 'stats_completion_tokens', tone: 2, values: values(each => each.completion_tokens) },
    ]),
    table('stats_time', ['turns', 'prompt_tokens', 'completion_tokens', 'cost'], used.slice(0, MOST_SHOWN).map(({ key, figures: each }) => [
      labelOf(key[by], by), number(each.turns), number(each.prompt_tokens), number(each.completion_tokens), money(each.cost),
    ]), used.length > MOST_SHOWN && [addressOf(by, { format: 'csv' }), used.length]),
  ]
}

/** All days of the period, or all hours of today so far. */
function placesOf(by) {
  const { from, to } = period()
  if (by === 'hour') return Array.from({ length: new Date().getUTCHours() + 1 }, (_, hour) => `${to}T${String(hour).padStart(2, '0')}`)
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  return Array.from({ length: days }, (_, day) => new Date(Date.parse(from) + day * DAY_MS).toISOString().slice(0, 10))
}

function labelOf(key, by) {
  if (by === 'hour') return `${key.slice(-2)}:00`
  return new Date(key).toLocaleDateString(currentLanguage(), { day: 'numeric', month: 'short', timeZone: 'UTC' })
}

function groupTable(data, by) {
  if (data.length === 0) return emptyNote('stats_empty')
  return table(`stats_${by}`, ['turns', 'tokens', 'cost', 'answered', 'closest', 'refusals', 'p50', 'p95'], data.map(({ key, figures: each }) => [
    key[by] ?? t('stats_no_model'), number(each.turns), number(each.total_tokens), money(each.cost),
    share(each.answered, each.turns), share(each.closest, each.turns), share(each.refusals, each.turns), each.turns ? seconds(each.latency_p50_ms) : '–', each.turns ? seconds(each.latency_p95_ms) : '–',
  ]))
}

function showQuestions({ data }) {
  if (data.length === 0) return emptyNote('stats_no_questions')
  return table('stats_question', ['asked', 'shown'], data.slice(0, MOST_SHOWN).map(({ key, figures }) => [
    key.question, number(figures.turns), t(key.outcome === 'closest' ? 'stats_shown_closest' : 'stats_shown_nothing'),
  ]), data.length > MOST_SHOWN && [addressOf('question', { format: 'csv' }), data.length])
}

function showDocuments({ data }) {
  const cited = data.filter(({ figures }) => figures.turns > 0)
  const never = data.filter(({ figures }) => figures.turns === 0)
  if (data.length === 0) return emptyNote('stats_no_documents')
  const more = data.length > 2 * MOST_SHOWN && [addressOf('document', { format: 'csv' }), data.length]
  return [
    cited.length ? table('stats_document', ['cited', 'feedback'], cited.slice(0, MOST_SHOWN).map(({ key, figures }) => [
      key.title, number(figures.turns), `+${number(figures.feedback_up)} / −${number(figures.feedback_down)}`,
    ])) : emptyNote('stats_none_cited'),
    say(el('h3'), 'stats_never'),
    never.length ? table('stats_document', ['collection'], never.slice(0, MOST_SHOWN).map(({ key }) => [key.title, key.collection]), more, 'stats_never')
      : emptyNote('stats_all_cited'),
  ]
}

// --- start ---

async function showCollections() {
  const { data } = await call('GET', '/collections').catch(() => ({ data: [] }))
  const all = say(el('option', { value: '' }), 'stats_all_collections')
  $('collection').replaceChildren(all, ...data.map(({ name }) => el('option', { value: name }, name)))
}

$('language').value = currentLanguage()
$('language').addEventListener('change', () => {
  setLanguage($('language').value)
  load()
})
for (const id of ['period', 'collection']) $(id).addEventListener('change', load)
translatePage()
isAdmin = (await call('GET', '/me/preferences').catch(() => ({}))).is_admin ?? false
for (const section of document.querySelectorAll('.for-admins')) section.hidden = !isAdmin
say($('whose'), isAdmin ? 'stats_everybody' : 'stats_own')
await showCollections()
await load()
document.documentElement.dataset.ready = 'true'

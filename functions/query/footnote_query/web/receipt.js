// How an answer was made: time per step, tokens, cost, search queries and all retrieved passages.

import { el, label, say } from './dom.js'
import { number } from './i18n.js'
import { replayFold } from './replay_fold.js'
import { openSource } from './source.js'
import { stepOf } from './steps.js'

/** Closed at first; filled when opened. */
export function receiptOf(turn) {
  const details = el('details', { class: 'receipt' }, el('summary', {}, say(el('span'), 'receipt'), el('span', { class: 'facts' }, ...glance(turn))))
  details.addEventListener('toggle', () => details.append(facts(turn), ...chart(turn), ...leftOut(turn), ...hits(turn), ...again(turn)), { once: true })
  return details
}

/** The summary line of the closed receipt. */
function glance(turn) {
  const { usage } = turn
  return [
    maker(turn),
    duration(el('span'), turn.latency_ms),
    usage.total_tokens > 0 && say(el('span'), usage.estimated ? 'tokens_estimated' : 'tokens', { n: usage.total_tokens }),
    turn.cost > 0 && say(el('span'), 'cost_of', { cost: money(turn.cost) }),
  ].filter(Boolean)
}

function maker({ model, extractive, citations, outcome }) {
  if (outcome === 'cached' || outcome === 'faq') return say(el('span'), outcome)
  if (model) return el('span', {}, model)
  return extractive && citations.length > 0 ? say(el('span'), 'extractive') : null
}

function duration(node, ms) {
  return ms < 1000 ? say(node, 'ms', { ms: number(ms, ms >= 0.05 && ms < 10 ? 1 : 0) }) : say(node, 'seconds', { s: number(ms / 1000, 1) })
}

/** Most answers cost less than a cent. */
const money = cost => number(cost, cost < 0.01 ? 5 : cost < 1 ? 3 : 2)

/** Its question, asked again. */
const again = ({ persisted, trace_id: trace }) => (persisted ? [replayFold(trace)] : [])

function facts(turn) {
  const { prompt_tokens: read, completion_tokens: written, total_tokens: all, estimated } = turn.usage
  const searched = turn.searched_for ?? []
  return el('dl', {},
    ...(turn.debug?.plan ? [fact('receipt_level', el('code', {}, turn.debug.plan.level))] : []),
    ...why(turn),
    fact('receipt_maker', maker(turn) ?? say(el('span'), 'receipt_nobody')),
    ...(all > 0 ? [fact('receipt_tokens', say(el('span'), estimated ? 'tokens_split_estimated' : 'tokens_split', { read, written }))] : []),
    ...(turn.cost > 0 ? [fact('receipt_cost', el('span', {}, money(turn.cost)))] : []),
    ...(searched.length > 0 ? [fact('receipt_searched', ...searched.map(query => el('q', {}, query)))] : []),
    fact('receipt_trace', el('code', {}, turn.trace_id)))
}

/** Why an answer without a language model is shown as it is. */
function why({ verdict }) {
  if (!verdict?.answer_from) return [] // an overview, or of an earlier version: nothing was weighed
  const { because, score, missing, reasons } = verdict
  const said = say(el('span'), `why_${because}`, { score: number(100 * score, 0) })
  const strongest = reasons.map(reason => say(el('li'), `reason_${reason.slice(0, -1)}_${reason.endsWith('+') ? 'for' : 'against'}`))
  return [fact('receipt_why', ...[
    said, missing.length > 0 && say(el('span'), 'why_missing', { words: missing.join(', ') }), strongest.length > 0 && el('ul', {}, ...strongest)
  ].filter(Boolean))]
}

const fact = (key, ...values) => el('div', {}, say(el('dt'), key), ...values.map(value => el('dd', {}, value)))

function chart({ steps, latency_ms: total }) {
  if (!steps?.length) return []
  const longest = Math.max(...steps.map(({ ms }) => ms), 0.01)
  const rows = steps.map(({ ms, status, cost, ...step }) => {
    const bar = el('span', { class: 'bar' })
    bar.style.setProperty('--share', ms / longest)
    const trouble = status === 'ok' ? null : say(el('em'), `was_${status}`)
    return el('li', { class: status }, el('span', {}, stepOf(step), trouble && ' ', trouble, ...spent(step.out, cost)), bar, duration(el('span', { class: 'ms' }), ms))
  })
  const sum = el('li', { class: 'sum' }, say(el('span'), 'receipt_total'), el('span'), duration(el('span', { class: 'ms' }), total))
  return [say(el('h3'), 'receipt_steps'), el('ol', { class: 'chart' }, ...rows, sum)]
}

/** What a step used of language models. */
function spent({ used } = {}, cost) {
  if (!used) return []
  const n = used.reduce((sum, each) => sum + each.prompt_tokens + each.completion_tokens, 0)
  return [' ', say(el('small'), 'tokens', { n }), ...(cost > 0 ? [' · ', say(el('small'), 'cost_of', { cost: money(cost) })] : [])]
}

/** Skipped steps. Reasons name settings and are in English; stored turns have none. */
function leftOut({ debug }) {
  const steps = debug?.plan?.steps.filter(({ runs }) => runs === 'no') ?? []
  if (steps.length === 0) return []
  const rows = steps.map(({ step, stage, because }) => el('li', {}, stepOf({ name: step, stage }), el('span', { lang: 'en' }, because)))
  return [el('details', { class: 'left-out' }, say(el('summary'), 'receipt_left_out', { n: steps.length }), el('ul', {}, ...rows))]
}

function hits({ hits, citations }) {
  if (hits.length === 0) return []
  const names = ['column_rank', 'column_title', 'column_page', 'score', 'column_bm25', 'column_cosine', 'column_cited']
  const head = el('tr', {}, ...names.map(name => say(el('th', { scope: 'col', class: name }), name)))
  const rows = hits.map((hit, place) => {
    const cited = citations.filter(({ chunk_id }) => chunk_id === hit.chunk_id).map(({ number }) => number)
    const open = el('button', { type: 'button', onclick: () => openSource(hit) }, hit.title)
    const value = (it, digits = 2) => el('td', { class: 'value' }, it == null ? '–' : number(it, digits))
    return el('tr', {},
      value(place + 1, 0),
      el('th', { scope: 'row' }, open),
      el('td', { class: 'value' }, hit.page == null ? '–' : String(hit.page)),
      value(hit.score), value(hit.bm25), value(hit.cosine),
      el('td', { class: 'value' }, cited.length > 0 ? el('b', {}, cited.join(', ')) : '–'))
  })
  const frame = el('div', { class: 'table', role: 'region', tabindex: '0' }, el('table', {}, el('thead', {}, head), el('tbody', {}, ...rows)))
  return [say(el('h3'), 'found', { n: hits.length }), label(frame, 'found', { n: hits.length })]
}

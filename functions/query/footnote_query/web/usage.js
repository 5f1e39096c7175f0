// What the user has used, and what is left of their budget, in the account menu.

import { call } from './api.js'
import { $, el, joined, say } from './dom.js'
import { number } from './i18n.js'

const place = $('usage')

/** Loads the figures anew. */
export async function showUsage() {
  let found
  try {
    found = await call('GET', '/me/usage')
  } catch (problem) {
    place.replaceChildren(say(el('h2'), 'usage'), el('p', { class: 'hint' }, problem.message))
    return
  }
  const { today, period, days, budget } = found
  place.replaceChildren(say(el('h2'), 'usage'), el('dl', {}, row('usage_today', {}, today), row('usage_days', { n: days }, period)), ...left(budget))
}

function row(key, values, { questions, tokens, cost }) {
  const facts = [say(el('span'), 'usage_questions', { n: questions }), say(el('span'), 'tokens', { n: tokens })]
  if (cost) facts.push(say(el('span'), 'cost_of', { cost: number(cost, cost < 1 ? 4 : 2) }))
  return el('div', {}, say(el('dt'), key, values), el('dd', {}, ...joined(facts, ' · ')))
}

function left(budget) {
  if (!budget) return [say(el('p', { class: 'hint' }), 'usage_unlimited')]
  const { tokens_per_day: tokens, money_per_day: money, spent, cheaper_at: cheaper } = budget
  const percent = Math.min(100, Math.round(spent * 100))
  const bar = el('progress', { max: 100, value: percent, 'aria-labelledby': 'usage-spent' })
  const limits = [tokens && say(el('span'), 'usage_tokens_limit', { n: tokens }), money && say(el('span'), 'usage_money_limit', { cost: number(money, 2) })]
  const state = spent >= 1 ? 'usage_search' : spent >= cheaper ? 'usage_cheaper' : null
  return [
    say(el('p', { id: 'usage-spent' }), 'usage_spent', { percent }), bar,
    el('p', { class: 'hint' }, ...joined(limits.filter(Boolean), ', ')),
    ...(state ? [say(el('p', { class: 'hint' }), state)] : []),
  ]
}

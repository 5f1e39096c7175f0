// What an admin makes for one person: a session, whose token is shown once, and a budget of their own.

import { call } from '../api.js'
import { copyText } from '../copy.js'
import { el, label, say } from '../dom.js'
import { number } from '../i18n.js'
import { attempt, button, code, field, form, hint, listed, money, select, tell } from './parts.js'
import { table } from './table.js'

const USERS = 'budget.users'

/** `made()`: there is another session. The token stays in sight until the view is left. */
export function newSession(made) {
  const user = el('input', { autocomplete: 'off', maxlength: 200, spellcheck: 'false' })
  const groups = el('input', { autocomplete: 'off', spellcheck: 'false' })
  const role = select([['user', 'admin_role_user'], ['admin', 'admin_role_admin']])
  const hours = el('input', { type: 'number', min: 1, max: 8760, value: 12 })
  const place = el('div', { 'aria-live': 'polite' })
  const fields = [field('admin_user', user), field('admin_groups', groups), field('admin_role', role), field('admin_hours', hours)]
  const creation = form([hint('admin_session_text'), el('div', { class: 'filters' }, ...fields)], 'admin_create', async () => {
    place.replaceChildren()
    const { token } = await call('POST', '/sessions/new', { user_id: user.value, groups: listed(groups.value), role: role.value, hours: Number(hours.value) })
    place.replaceChildren(...tokenOf(token, user.value.trim()))
    user.value = ''
    made()
  })
  return el('div', {}, creation, place)
}

function tokenOf(token, name) {
  const copy = label(el('button', { type: 'button', class: 'quiet icon copy' }), 'admin_copy_token')
  copy.addEventListener('click', () => copyText(token, copy, 'admin_copy_token'))
  return [say(el('p', {}), 'admin_token_once', { name }), el('p', { class: 'line' }, code(token), copy)]
}

/** `users`: the setting, user → budget. `again()`: shows the view anew. */
export function budgets(users, again) {
  const user = el('input', { autocomplete: 'off', maxlength: 200, spellcheck: 'false' })
  const tokens = el('input', { type: 'number', min: 0, step: 1 })
  const cost = el('input', { type: 'number', min: 0, step: 'any' })
  const remove = ([name]) => {
    const made = button('admin_remove', () => attempt(() => save(name, null, again), made), 'quiet')
    return made
  }
  const limit = (value, shown) => (value == null ? say(el('span'), 'admin_budget_usual') : value === 0 ? say(el('span'), 'admin_budget_none') : shown(value))
  const rows = table('admin_budgets', [
    { name: 'admin_user', of: ([name]) => name, by: ([name]) => name },
    { name: 'admin_tokens_a_day', of: ([, each]) => limit(each.tokens_per_day, number), by: ([, each]) => each.tokens_per_day ?? -1 },
    { name: 'admin_cost_a_day', of: ([, each]) => limit(each.money_per_day, money), by: ([, each]) => each.money_per_day ?? -1 },
    { name: 'admin_action', of: remove },
  ], Object.entries(users).sort(), { empty: 'admin_no_budgets' })
  const numberOf = input => (input.value === '' ? null : Number(input.value))
  const creation = form([
    el('div', { class: 'filters' }, field('admin_user', user), field('admin_tokens_a_day', tokens), field('admin_cost_a_day', cost)), hint('admin_budgets_text'),
  ], 'admin_save', () => save(user.value.trim(), { tokens_per_day: numberOf(tokens), money_per_day: numberOf(cost) }, again))
  return el('div', {}, rows.element, creation)
}

/** Others may have changed the setting since it was shown, so it is read again. `budget` null = as for everybody. */
async function save(name, budget, again) {
  const { data } = await call('GET', '/settings?limit=200')
  const users = { ...data.find(({ key }) => key === USERS).value }
  delete users[name]
  if (budget) users[name] = budget
  await call('PUT', `/settings/${USERS}`, { value: users })
  tell('admin_saved')
  again()
}

// People: who is signed in and with which groups, keys, what each has used today of their budget, and the limits. What is created for them
// is in person.js.

import { call, callAll } from '../api.js'
import { el, say } from '../dom.js'
import { number } from '../i18n.js'
import { accounts, invitation } from './accounts.js'
import { badge, carefulButton, code, filled, hint, link, money, section, tell, when } from './parts.js'
import { budgets, newSession } from './person.js'
import { table } from './table.js'

export async function show(_, again) {
  const settings = await callAll('/settings', 200)
  const valueOf = key => settings.find(each => each.key === key)?.value
  const mode = valueOf('auth.mode')
  const keys = Object.entries(valueOf('auth.api_keys') ?? {}).map(([user, key]) => ({ user, ...key }))
  const refills = []
  const refilled = read => filled(fill => (refills.push(fill), read()))
  return [
    say(el('p', {}), `admin_sign_in_${mode}`),
    ...(mode === 'session' && valueOf('auth.accounts') ? [
      section('admin_accounts', refilled(() => accounts(again))),
      section('admin_invite', filled(() => invitation(() => new Set(refills).forEach(fill => fill())))),
    ] : []),
    ...(mode === 'session' ? [
      section('admin_sessions', refilled(() => sessions(again))),
      section('admin_session_new', newSession(() => new Set(refills).forEach(fill => fill()))),
    ] : []),
    ...(mode === 'api_key' ? [section('admin_keys', keysOf(keys))] : []),
    ...(mode === 'session' || mode === 'api_key' ? [section('admin_groups', refilled(async () => groupsOf(mode === 'session' ? await callAll('/sessions') : keys)))] : []),
    section('admin_usage', filled(() => usage(valueOf))),
    section('admin_budgets', budgets(valueOf('budget.users'), again)),
    section('admin_limits', limitsOf(settings)),
    hint('admin_user_data'),
  ]
}

async function sessions(again) {
  const found = await callAll('/sessions')
  const end = ({ session_id: id }) => carefulButton('admin_end', 'admin_end_question', async () => {
    await call('DELETE', `/sessions/${encodeURIComponent(id)}`)
    tell('admin_ended')
    again()
  })
  return table('admin_sessions', [
    { name: 'admin_user', of: each => each.user_id, by: each => each.user_id },
    { name: 'admin_role', of: ({ role }) => badge(`admin_role_${role}`, role === 'admin' ? 'changed' : ''), by: ({ role }) => role },
    { name: 'admin_groups', of: ({ groups }) => groups.join(', ') || '–', by: ({ groups }) => groups.join() },
    { name: 'admin_since', of: each => when(each.created_at), by: each => each.created_at },
    { name: 'admin_until', of: each => when(each.expires_at), by: each => each.expires_at },
    { name: 'admin_action', of: end },
  ], found, { empty: 'admin_no_sessions' }).element
}

const keysOf = keys => table('admin_keys', [
  { name: 'admin_user', of: ({ user }) => user, by: ({ user }) => user },
  { name: 'admin_role', of: ({ role = 'user' }) => badge(`admin_role_${role}`, role === 'admin' ? 'changed' : '') },
  { name: 'admin_groups', of: ({ groups = [] }) => groups.join(', ') || '–' },
], keys, { empty: 'admin_no_keys' }).element

/** Group → who is in it, of sessions or keys. */
function groupsOf(people) {
  const members = new Map()
  for (const { user, user_id: id = user, groups = [] } of people) for (const group of groups) members.set(group, (members.get(group) ?? new Set()).add(id))
  return table('admin_groups', [
    { name: 'admin_group', of: ([group]) => group, by: ([group]) => group },
    { name: 'admin_members', of: ([, users]) => [...users].sort().join(', '), by: ([, users]) => users.size },
  ], [...members], { empty: 'admin_no_groups' }).element
}

// --- usage and limits ----------------------------------------------------------------------------

async function usage(valueOf) {
  const day = new Date().toISOString().slice(0, 10)
  const { data } = await call('GET', `/stats?${new URLSearchParams({ from: day, to: day, by: 'user' })}`)
  const own = valueOf('budget.users')
  const limits = user => ['tokens_per_day', 'money_per_day'].map(name => own[user]?.[name] ?? valueOf(`budget.${name}`))
  const share = ({ key, figures }) => {
    const [tokens, cost] = limits(key.user)
    return Math.max(tokens ? figures.total_tokens / tokens : 0, cost ? (figures.cost ?? 0) / cost : 0)
  }
  return table('admin_usage', [
    { name: 'admin_user', of: ({ key }) => key.user, by: ({ key }) => key.user },
    { name: 'admin_questions', of: ({ figures }) => number(figures.turns), by: ({ figures }) => figures.turns },
    { name: 'admin_tokens', of: ({ figures }) => number(figures.total_tokens), by: ({ figures }) => figures.total_tokens },
    { name: 'admin_cost', of: ({ figures }) => money(figures.cost), by: ({ figures }) => figures.cost ?? 0 },
    { name: 'admin_budget', of: each => (limits(each.key.user).some(Boolean) ? `${number(100 * share(each))} %` : say(el('span'), 'admin_unlimited')), by: share },
  ], data.toSorted((one, other) => other.figures.total_tokens - one.figures.total_tokens), { empty: 'admin_no_usage' }).element
}

const limitsOf = settings => table('admin_limits', [
  { name: 'admin_setting', of: ({ key, description }) => el('div', {}, link(`settings/${key}`, key), el('p', { class: 'hint' }, description.replaceAll('`', ''))) },
  { name: 'admin_value', of: ({ value }) => code(String(value)) },
  { name: 'admin_source', of: ({ source }) => badge(`admin_source_${source}`, source === 'runtime' ? 'changed' : '') },
], settings.filter(({ key }) => /^(budget|limits)\.(?!users$)/.test(key)), { empty: 'admin_no_match' }).element

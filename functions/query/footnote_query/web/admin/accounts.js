// Accounts: who signs in by name and password, and invitations, whose link is shown once.

import { call, callAll } from '../api.js'
import { copyText } from '../copy.js'
import { el, label, say } from '../dom.js'
import { badge, carefulButton, code, field, form, hint, newId, select, tell, when } from './parts.js'
import { table } from './table.js'

export async function accounts(again) {
  const found = await callAll('/accounts')
  const remove = ({ name, state }) => carefulButton(state === 'invited' ? 'admin_withdraw' : 'admin_remove', 'admin_account_question', async () => {
    await call('DELETE', `/accounts/${encodeURIComponent(name)}`)
    tell('admin_account_removed', { name })
    again()
  }, { name })
  return table('admin_accounts', [
    { name: 'admin_user', of: each => each.name, by: each => each.name },
    { name: 'admin_role', of: ({ role }) => badge(`admin_role_${role}`, role === 'admin' ? 'changed' : ''), by: ({ role }) => role },
    { name: 'admin_groups', of: ({ groups }) => groups.join(', ') || '–', by: ({ groups }) => groups.join() },
    { name: 'admin_account_state', of: stateOf, by: ({ state }) => state },
    { name: 'admin_since', of: each => when(each.created_at), by: each => each.created_at },
    { name: 'admin_action', of: remove },
  ], found, { empty: 'admin_no_accounts' }).element
}

const stateOf = ({ state, invited_until: until }) => (state === 'active' ? badge('admin_account_active', 'ok')
  : say(el('span'), Date.now() / 1000 < until ? 'admin_account_invited' : 'admin_account_expired', { until: new Date(until * 1000).toLocaleString() }))

/** `made()`: there is another invitation. Its link stays in sight until the view is left. */
export async function invitation(made) {
  const { groups: own = [] } = await call('GET', '/me/preferences')
  const name = el('input', { autocomplete: 'off', maxlength: 200, spellcheck: 'false' })
  const role = select([['user', 'admin_role_user'], ['admin', 'admin_role_admin']])
  const boxes = own.map(group => el('input', { type: 'checkbox', id: newId('group'), value: group }))
  const groups = own.length ? el('fieldset', { class: 'checks' }, say(el('legend'), 'admin_groups'), ...boxes.map(box => el('label', { for: box.id }, box, ' ', box.value))) : hint('admin_invite_no_groups')
  const place = el('div', { 'aria-live': 'polite' })
  const creation = form([hint('admin_invite_text'), el('div', { class: 'filters' }, field('admin_user', name), field('admin_role', role)), groups], 'admin_invite', async () => {
    place.replaceChildren()
    const { url, name: invited } = await call('POST', '/invitations', { name: name.value, role: role.value, groups: boxes.filter(({ checked }) => checked).map(({ value }) => value) })
    place.replaceChildren(...linkOf(url, invited))
    name.value = ''
    made()
  })
  return el('div', {}, creation, place)
}

function linkOf(url, name) {
  const copy = label(el('button', { type: 'button', class: 'quiet icon copy' }), 'admin_copy_link')
  copy.addEventListener('click', () => copyText(url, copy, 'admin_copy_link'))
  return [say(el('p', {}), 'admin_link_once', { name }), el('p', { class: 'line' }, code(url), copy)]
}

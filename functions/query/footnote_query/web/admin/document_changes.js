// Two forms for chosen documents: who can read them, with a preview, and to which collection they are moved.

import { el, say } from '../dom.js'
import { t } from '../i18n.js'
import { field, form, hint, listed, select } from './parts.js'

const EVERYONE = '*'
const named = groups => groups.map(group => (group === EVERYONE ? t('readers_everyone') : group.replace(/^user:/, ''))).join(', ')

/** `save(change, key)`: applies `change`, the body of a PATCH, to all of them. `collections`: names of those to move to. */
export function changesOf(chosen, collections, save) {
  const move = collections.length > 1 ? [folded('admin_move', moveForm(collections, save))] : []
  return [folded('admin_change_readers', readersForm(chosen, save)), ...move]
}

const folded = (key, ...body) => el('details', {}, say(el('summary'), key), ...body)

function readersForm(chosen, save) {
  const input = Object.assign(el('input', { autocomplete: 'off', spellcheck: 'false' }), { value: [...new Set(chosen.flatMap(each => each.permission_groups))].sort().join(', ') })
  const preview = el('p', { role: 'status' })
  const show = () => preview.replaceChildren(...sentences(chosen, listed(input.value)))
  input.addEventListener('input', show)
  show()
  return form([field('admin_readers', input), preview, hint('admin_readers_text')], 'admin_save',
    () => save({ permission_groups: listed(input.value) }, 'admin_readers_changed'))
}

/** Who can read them afterwards, who cannot any more, and who is new to some of them. */
function sentences(chosen, wanted) {
  const open = wanted.includes(EVERYONE)
  const lost = open ? [] : [...new Set(chosen.flatMap(each => each.permission_groups))].filter(group => !wanted.includes(group))
  const gained = wanted.filter(group => chosen.some(({ permission_groups: groups }) => !groups.includes(group) && !groups.includes(EVERYONE)))
  const said = (key, names) => [say(el('span'), key, { n: chosen.length, names: named(names) }), ' ']
  return [
    ...said(wanted.length ? 'admin_readers_after' : 'admin_readers_none', open ? [EVERYONE] : wanted),
    ...(wanted.length && lost.length ? said('admin_readers_lost', lost) : []),
    ...(gained.length ? said('admin_readers_new', gained) : []),
  ]
}

function moveForm(collections, save) {
  const to = select(collections.map(name => [name]))
  return form([field('admin_collection', to), hint('admin_move_text')], 'admin_move', () => save({ collection: to.value }, 'admin_moved'))
}

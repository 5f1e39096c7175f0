// What feedback has taught: the weights of documents and fields of each collection, with a reset.

import { call } from '../api.js'
import { el, say } from '../dom.js'
import { number } from '../i18n.js'
import { badge, carefulButton, emptyNote, hint, tell, when } from './parts.js'
import { table } from './table.js'

const FIELDS = { title: 'admin_title', headings: 'admin_headings', text: 'admin_text' }
const rest = [
  { name: 'admin_weight', of: ({ weight }) => number(weight, 3), by: ({ weight }) => weight },
  { name: 'admin_users', of: ({ users }) => number(users), by: ({ users }) => users },
  { name: 'admin_weights_rate', of: ({ positive_rate: rate }) => `${number(100 * rate)} %`, by: ({ positive_rate: rate }) => rate },
]

/** `again`: fills the section anew. */
export async function weights(again) {
  const { is_on: isOn, data } = await call('GET', '/feedback/weights')
  return [
    hint('admin_weights_text'), say(el('p', {}), isOn ? 'admin_weights_on' : 'admin_weights_off'),
    ...(data.length ? data.flatMap(each => ofCollection(each, again)) : [emptyNote('admin_no_weights')]),
  ]
}

function ofCollection({ collection, changed_at: changed, reset_at: reset, fields, documents }, again) {
  const forget = carefulButton('admin_weights_reset', 'admin_weights_question', async () => {
    await call('DELETE', `/feedback/weights?${new URLSearchParams({ index_name: collection })}`)
    tell('admin_weights_gone', { name: collection })
    again()
  }, { name: collection })
  const since = reset === null ? [] : [' · ', say(el('span'), 'admin_weights_since'), ' ', when(reset)]
  return [
    el('h4', {}, collection), el('p', { class: 'hint' }, say(el('span'), 'admin_weights_made'), ' ', when(changed), ...since),
    ...(fields.length ? [table('admin_weights_fields', [{ name: 'admin_field', of: ({ field }) => say(el('span'), FIELDS[field]), by: ({ field }) => field }, ...rest], fields).element] : []),
    table('admin_weights_documents', [{ name: 'admin_document', of: documentCell, by: ({ title }) => title }, ...rest], documents, { empty: 'admin_no_weighed_documents' }).element,
    forget,
  ]
}

function documentCell({ doc_id: doc, title, is_current: isCurrent }) {
  const name = el('a', { href: `./?${new URLSearchParams({ doc_id: doc })}`, target: '_blank', rel: 'noopener' }, title)
  return el('div', {}, name, ...(isCurrent ? [] : [' ', badge('admin_weights_outdated', 'missing')]))
}

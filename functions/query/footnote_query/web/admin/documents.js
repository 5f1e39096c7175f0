// The documents that the admin may read: search, filters, sorting; those that are chosen are retried, changed, deleted, or restored.

import { call } from '../api.js'
import { saySize } from '../document_facts.js'
import { el, say, sayTranslated } from '../dom.js'
import { number, t } from '../i18n.js'
import { changesOf } from './document_changes.js'
import { attempt, badge, button, carefulButton, emptyNote, field, hint, select, tell, when } from './parts.js'
import { table } from './table.js'

const PAGE = 200 // the server's maximum
const AT_ONCE = 4 // requests that run at the same time
const LOOKS = { READY: 'ok', FAILED: 'broken', RECEIVED: 'missing', PROCESSING: 'missing', DELETED: 'broken' }
const EVERYONE = '*'
const pathOf = ({ doc_id: id }, rest = '') => `/documents/${encodeURIComponent(id)}${rest}`
const readersOf = ({ permission_groups: groups }) => groups.map(group => (group === EVERYONE ? t('readers_everyone') : group)).join(', ')

let lately = null // how the last change here is undone: {some, key, label, act, done}

export async function show([given = ''], again) {
  const wanted = new URLSearchParams(given)
  const { data: collections } = await call('GET', '/collections?all=true')
  const active = collections.filter(each => each.state === 'ACTIVE').map(({ name }) => name)
  const documents = []
  let box = null
  const words = Object.assign(el('input', { type: 'search', oninput: filter }), { value: wanted.get('q') ?? '' })
  const collection = select([['', 'admin_every'], ...active.map(name => [name])], wanted.get('collection') ?? '', filter)
  const state = select([['', 'admin_any'], ...Object.keys(LOOKS).map(each => [each, `state_${each}`])], wanted.get('state') ?? '', filter)
  const format = select([['', 'admin_any']], '', filter)
  const reader = select([['', 'admin_any']], '', filter)
  const count = el('p', { class: 'hint', role: 'status' })
  const bar = el('div', { class: 'chosen', hidden: true })
  const rows = table('admin_documents', [
    { name: 'admin_document', of: titleOf, by: ({ title }) => title },
    { name: 'admin_collection', of: each => each.collection, by: each => each.collection },
    { name: 'admin_state', of: each => badge(`state_${each.state}`, LOOKS[each.state]), by: each => each.state },
    { name: 'admin_readers', of: readersOf, by: readersOf },
    { name: 'admin_owner', of: ({ owner }) => owner || '–', by: ({ owner }) => owner },
    { name: 'admin_format', of: each => each.format || '–', by: each => each.format },
    { name: 'admin_pages', of: ({ pages }) => (pages == null ? '–' : number(pages)), by: ({ pages }) => pages ?? 0 },
    { name: 'admin_size', of: ({ size }) => saySize(el('span'), size), by: ({ size }) => size },
    { name: 'admin_changed_at', of: each => when(each.updated_at), by: each => each.updated_at },
  ], [], { empty: 'admin_no_match', choose: chosen => showBar(chosen), keyOf: ({ doc_id: id }) => id })

  function matching(some) {
    const text = words.value.trim().toLowerCase()
    return some.filter(each =>
      (!collection.value || each.collection === collection.value) && (state.value ? each.state === state.value : each.state !== 'DELETED')
      && (!format.value || each.format === format.value) && (!reader.value || each.permission_groups.includes(reader.value))
      && (!text || each.words.includes(text)))
  }

  let matched = 0
  let deleted = 0
  function tellCount() {
    say(count, 'admin_documents_shown', { n: matched, all: documents.length - deleted })
  }

  function filter() {
    const shown = matching(documents)
    matched = shown.length
    rows.set(shown)
    tellCount()
    const kept = Object.entries({ q: words.value, collection: collection.value, state: state.value }).filter(([, value]) => value)
    if (box?.isConnected) history.replaceState(null, '', `#/documents${kept.length ? `/${encodeURIComponent(new URLSearchParams(kept))}` : ''}`)
  }

  function showBar(chosen) {
    bar.hidden = chosen.length === 0
    if (chosen.length === 0) return bar.replaceChildren()
    const failed = chosen.filter(each => each.state === 'FAILED')
    const retry = button('admin_retry', () => attempt(() => each(failed, one => call('POST', pathOf(one, '/retry')), 'admin_retried'), retry), 'second', { n: failed.length })
    retry.hidden = failed.length === 0
    const gone = chosen.every(each => each.state === 'DELETED')
    bar.replaceChildren(say(el('b'), 'admin_chosen', { n: chosen.length }), retry, ...(gone ? [doing(restoring(chosen))]
      : [carefulButton('remove_yes', 'admin_delete_documents_question', () => remove(chosen), { n: chosen.length }), ...changesOf(chosen, active, (body, key) => change(chosen, body, key))]))
  }

  function remove(some) {
    lately = { key: 'admin_deleted', ...restoring(some) }
    return each(some, one => call('DELETE', pathOf(one)), 'admin_deleted')
  }

  const restoring = some => ({ some, label: 'manage_restore', act: one => call('POST', pathOf(one, '/restore')), done: 'admin_documents_restored' })

  /** Changes all of them; `some` still says how they were. */
  function change(some, body, key) {
    const back = one => Object.fromEntries(Object.keys(body).map(name => [name, one[name]]))
    lately = { some, key, label: 'admin_undoes', act: one => call('PATCH', pathOf(one), back(one)), done: key }
    return each(some, one => call('PATCH', pathOf(one), body), key)
  }

  function doing({ some, label, act, done }) {
    const made = button(label, () => attempt(() => each(some, act, done), made))
    return made
  }

  /** Undoes the last change here. */
  function undo() {
    const last = lately
    lately = null
    return last ? [el('p', { class: 'note' }, say(el('span'), last.key, { n: last.some.length }), ' ', doing(last))] : []
  }

  /** Does it to each of them, says how many worked, and loads the list again. The first problem is shown. */
  async function each(some, act, key) {
    const queue = [...some]
    const problems = []
    const work = async () => {
      for (let next; (next = queue.pop());) await act(next).catch(problem => (problem.status === 404 && key === 'admin_deleted') || problems.push(problem))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    await again()
    if (problems.length) tell('admin_some_failed', { n: problems.length, detail: problems[0].message })
    else tell(key, { n: some.length })
  }

  /** All pages, shown as they come. */
  async function load(ask = {}) {
    for (let after = null, hasMore = true; hasMore;) {
      const page = await call('GET', `/documents?${new URLSearchParams({ limit: PAGE, ...ask, ...(after && { after }) })}`)
      for (const one of page.data) one.words = `${one.title} ${one.file_name} ${one.doc_id} ${one.owner}`.toLowerCase()
      documents.push(...page.data)
      if (ask.deleted) deleted += page.data.length
      after = page.last_id
      hasMore = page.has_more
      options(format, page.data.map(one => one.format))
      options(reader, page.data.flatMap(one => one.permission_groups), group => (group === EVERYONE ? t('readers_everyone') : group))
      const added = matching(page.data)
      matched += added.length
      rows.extend(added)
      tellCount()
      later.resolve()
      if (hasMore && !box.isConnected && documents.length > PAGE) return // the admin has left
    }
  }

  const later = Promise.withResolvers()
  box = el('div', {}, el('div', { class: 'filters' }, field('admin_search', words), field('admin_collection', collection), field('admin_state', state),
    field('admin_format', format), field('admin_readers', reader)), count, bar, rows.element)
  load().then(() => load({ deleted: true })).catch(problem => (documents.length ? tell(null, {}, problem.message) : later.reject(problem)))
  await later.promise
  return documents.length ? [...undo(), box, hint('admin_documents_text')] : [...undo(), emptyNote('admin_no_documents'), hint('admin_documents_text')]
}

function titleOf({ doc_id: id, title, file_name: name, state, reason, remedy }) {
  const shown = state === 'READY' ? el('a', { href: `./?${new URLSearchParams({ doc_id: id })}`, target: '_blank', rel: 'noopener' }, title) : el('b', {}, title)
  return el('div', {}, shown, name === title ? null : el('p', { class: 'hint' }, name), reason ? sayTranslated(el('p', { class: state === 'FAILED' ? 'why' : 'hint' }), `${reason} ${remedy ?? ''}`.trim()) : null)
}

/** Offers the values that occur, and keeps the chosen one. */
function options(node, values, nameOf = value => value) {
  const known = new Set([...node.options].map(({ value }) => value))
  for (const value of new Set(values)) if (value && !known.has(value)) node.append(el('option', { value }, nameOf(value)))
}

// The audit: who changed or deleted what. It is filtered by the server, page by page, and exported as CSV.

import { call } from '../api.js'
import { toCsv } from '../csv.js'
import { el, say } from '../dom.js'
import { download } from '../download.js'
import { attempt, button, code, field, select, tell, when } from './parts.js'
import { table } from './table.js'

const PAGE = 100
const MOST_EXPORTED = 50_000
const KINDS = ['setting', 'prompt', 'term', 'session', 'document', 'collection', 'conversation', 'experiment', 'golden', 'weights', 'user']

export async function show() {
  const who = el('input', { autocomplete: 'off', maxlength: 200, onchange: anew })
  const what = select([['', 'admin_any'], ...KINDS.map(kind => [`${kind}.`, `admin_kind_${kind}`])], '', anew)
  const from = el('input', { type: 'date', onchange: anew })
  const to = el('input', { type: 'date', onchange: anew })
  const rows = table('admin_audit', [
    { name: 'admin_when', of: ({ at }) => when(at), by: ({ at }) => at },
    { name: 'admin_who', of: each => each.user_id, by: each => each.user_id },
    { name: 'admin_action', of: ({ action }) => code(action), by: ({ action }) => action },
    { name: 'admin_object', of: each => code(each.object_id), by: each => each.object_id },
    { name: 'admin_facts', of: ({ facts }) => factsOf(facts) },
  ], [], { empty: 'admin_no_audit' })
  const more = button('more', () => attempt(load, more), 'quiet')
  const save = button('admin_csv', () => attempt(exportAll, save))
  let entries = []
  let after = null
  let latest = 0

  function pathOf(last, limit) {
    const wanted = { limit, user_id: who.value.trim(), action: what.value, from: from.value, to: to.value, after: last }
    return `/audit?${new URLSearchParams(Object.entries(wanted).filter(([, value]) => value))}`
  }

  /** Adds a page. One without a match looked at a part of the audit, and the next goes on. */
  async function load() {
    const mine = latest
    let page
    do {
      page = await call('GET', pathOf(after, PAGE))
      if (mine !== latest) return
      entries = [...entries, ...page.data]
      after = page.last_id
    } while (page.has_more && page.data.length === 0)
    rows.set(entries)
    more.hidden = !page.has_more
  }

  function anew() {
    latest += 1
    entries = []
    after = null
    return attempt(load)
  }

  async function exportAll() {
    const found = []
    for (let last = null, hasMore = true; hasMore && found.length < MOST_EXPORTED;) {
      const page = await call('GET', pathOf(last, 200))
      found.push(...page.data)
      last = page.last_id
      hasMore = page.has_more
    }
    const lines = found.map(each => [new Date(each.at * 1000).toISOString(), each.user_id, each.action, each.object_id, JSON.stringify(each.facts)])
    download(`footnote-audit-${new Date().toISOString().slice(0, 10)}.csv`, toCsv([['at', 'user', 'action', 'object', 'facts'], ...lines]), 'text/csv;charset=utf-8')
    tell('admin_exported', { n: found.length })
  }

  await load()
  return [
    el('div', { class: 'filters' }, field('admin_who', who), field('admin_kind', what), field('admin_from', from), field('admin_to', to), save),
    rows.element, more,
  ]
}

function factsOf(facts) {
  const entries = Object.entries(facts)
  if (entries.length === 0) return '–'
  return el('span', { class: 'hint' }, entries.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' · '))
}

// The collections: list, create, restore; one with its settings, aliases, deletion.

import { call, callAll, orNull } from '../api.js'
import { el, say } from '../dom.js'
import { number } from '../i18n.js'
import { knowledgeOf } from './knowledge.js'
import { attempt, back, badge, button, carefulButton, emptyNote, factList, field, filled, form, hint, leaveFor, link, listed, section, select, tell, when } from './parts.js'
import { table } from './table.js'

const CHUNKERS = ['structure', 'fixed_size', 'semantic', 'table', 'hierarchical', 'voices']
const BUILTIN = 'builtin'
const pathOf = (name, rest = '') => `/collections/${encodeURIComponent(name)}${rest}`

export const show = ([name], again) => (name ? one(name, again) : all(again))

async function all(again) {
  const { data } = await call('GET', '/collections?all=true')
  const restore = ({ name, restorable_until: until }) => {
    if (until === null) return say(el('span', { class: 'hint' }), 'manage_removing')
    const made = button('manage_restore', () => attempt(async () => {
      await call('POST', pathOf(name, '/restore'))
      tell('admin_restored', { name })
      again()
    }, made))
    return el('span', {}, made, ' ', el('span', { class: 'hint' }, say(el('span'), 'admin_until'), ' ', when(until)))
  }
  const rows = table('admin_collections', [
    { name: 'admin_collection', of: ({ name, title, state }) => el('div', {}, state === 'ACTIVE' ? link(`collections/${name}`, name) : el('b', {}, name), title ? el('p', { class: 'hint' }, title) : null), by: ({ name }) => name },
    { name: 'admin_documents', of: ({ name, documents, state }) => (state === 'ACTIVE' ? link(`documents/collection=${encodeURIComponent(name)}`, number(documents)) : number(documents)), by: ({ documents }) => documents },
    { name: 'admin_state', of: ({ state }) => badge(`admin_collection_${state}`, state === 'ACTIVE' ? 'ok' : 'broken'), by: ({ state }) => state },
    { name: 'admin_action', of: each => (each.state === 'DELETED' ? restore(each) : '–') },
  ], data, { empty: 'admin_no_collections' })
  const name = el('input', { autocomplete: 'off', maxlength: 64, spellcheck: 'false' })
  const title = el('input', { autocomplete: 'off', maxlength: 200 })
  const creation = form([el('div', { class: 'filters' }, field('admin_name', name), field('admin_title', title))], 'admin_create', async () => {
    await call('POST', '/collections', { name: name.value.trim(), title: title.value.trim() })
    tell('admin_collection_created', { name: name.value.trim() })
    again()
  })
  return [rows.element, section('admin_collection_new', creation)]
}

// --- one collection ------------------------------------------------------------------------------

async function one(name, again) {
  const up = back('collections', 'admin_all_collections')
  const [found, settings] = await Promise.all([
    orNull(call('GET', pathOf(name))),
    callAll('/settings', 200),
  ])
  if (!found || found.state === 'DELETED') return [up, emptyNote('admin_no_collection')]
  const { documents, vectors } = found
  const remove = carefulButton('remove_yes', 'manage_delete_question', async () => {
    await call('DELETE', pathOf(found.name))
    leaveFor('collections', 'admin_collection_deleted', { name: found.name })
  }, {}, 'second')
  return [
    up, el('h3', { class: 'name' }, found.name),
    factList(
      ...Object.entries(documents).map(([state, n]) => [`state_${state}`, el('span', {}, number(n))]),
      ['admin_passages', el('span', {}, number(found.chunks))],
      ['admin_vectors', el('span', {}, vectors ? `${number(vectors.done)} / ${number(vectors.total)}` : '–')],
      ['admin_languages', el('span', {}, Object.entries(found.languages).map(([lang, n]) => `${lang || '?'}: ${number(n)}`).join(', ') || '–')],
      ['admin_created', when(found.created_at)]),
    el('p', {}, say(link(`documents/collection=${encodeURIComponent(found.name)}`, ''), 'admin_its_documents')),
    section('admin_properties', propertiesOf(found, embeddersOf(settings, found), again)),
    section('admin_knowledge', hint('admin_knowledge_hint'), filled(() => knowledgeOf(found.name))),
    section('admin_aliases', aliasesOf(found, again)),
    section('admin_delete', hint('manage_delete_question'), remove),
  ]
}

/** The names of embedders that a collection may choose, and the one that it has. */
function embeddersOf(settings, { settings: { embedder } }) {
  const named = Object.keys(settings.find(({ key }) => key === 'embedding.others')?.value ?? {})
  return [...new Set([BUILTIN, ...named, ...(embedder ? [embedder] : [])])].filter(each => each !== 'none')
}

function propertiesOf({ name, title, description, settings }, embedders, again) {
  const input = (value, more = {}) => Object.assign(el('input', { autocomplete: 'off', ...more }), { value })
  const fields = {
    name: input(name, { maxlength: 64, spellcheck: 'false' }),
    title: input(title, { maxlength: 200 }),
    description: Object.assign(el('textarea', { rows: 3, maxlength: 2000 }), { value: description }),
    chunker: select([...new Set([...CHUNKERS, settings.chunker])].map(each => [each]), settings.chunker),
    embedder: select([['', 'admin_embedder_usual'], ['none', 'admin_embedder_none'], ...embedders.map(each => [each])], settings.embedder ?? ''),
    languages: input(settings.languages.join(', '), { spellcheck: 'false' }),
    groups: input(settings.permission_groups.join(', '), { spellcheck: 'false' }),
  }
  return form([
    el('div', { class: 'filters' }, field('admin_name', fields.name), field('admin_title', fields.title)), field('admin_description', fields.description),
    el('div', { class: 'filters' }, field('admin_chunker', fields.chunker), field('admin_embedder', fields.embedder), field('admin_languages', fields.languages), field('admin_default_readers', fields.groups)),
    hint('admin_properties_text'),
  ], 'admin_save', async () => {
    const changed = await call('PATCH', pathOf(name), {
      name: fields.name.value.trim(), title: fields.title.value.trim(), description: fields.description.value.trim(),
      settings: { chunker: fields.chunker.value, embedder: fields.embedder.value || null, languages: listed(fields.languages.value), permission_groups: listed(fields.groups.value) },
    })
    const { notes } = changed
    if (changed.name !== name) return leaveFor(`collections/${encodeURIComponent(changed.name)}`, 'admin_saved_notes', { notes: notes.join(' ') })
    tell('admin_saved_notes', { notes: notes.join(' ') })
    again()
  })
}

function aliasesOf({ name, aliases }, again) {
  const alias = el('input', { autocomplete: 'off', maxlength: 64, spellcheck: 'false' })
  const change = (method, which) => call(method, pathOf(name, `/aliases/${encodeURIComponent(which)}`))
  const rows = aliases.map(each => el('li', {}, el('span', {}, each), ' ', carefulButton('admin_remove', 'admin_alias_question', async () => {
    await change('DELETE', each)
    tell('admin_saved')
    again()
  })))
  return el('div', {}, rows.length ? el('ul', { class: 'parts' }, ...rows) : emptyNote('admin_no_aliases'), form([field('admin_alias', alias)], 'admin_add', async () => {
    await change('PUT', alias.value.trim())
    tell('admin_saved')
    again()
  }))
}

// The collection that is asked, and what may be asked of it.

import { call } from './api.js'
import { $, el, say } from './dom.js'
import { t } from './i18n.js'
import { recall, remember } from './memory.js'
import { suggest } from './suggestions.js'

const DEFAULT = 'default'
const picker = $('index')
let collections = []

export const chosenCollection = () => picker.value || DEFAULT

/** Lists the collections; the one of the last visit is chosen, while it is there. */
export async function startCollections() {
  await read()
  const remembered = recall('index')
  show(remembered !== null && known(remembered) ? remembered : (collections[0]?.name ?? DEFAULT))
}

/** Reads them anew and keeps the chosen one. */
export async function refreshCollections() {
  await read()
  show(chosenCollection())
}

/** Chooses a collection, which may be a new one. */
export function chooseCollection(name) {
  remember('index', name)
  $('into').value = name
  show(name)
}

/** Writes again what is told in the reader's language. */
export const relabelCollections = () => show(chosenCollection())

const known = name => collections.find(collection => collection.name === name)

async function read() {
  try {
    collections = (await call('GET', '/collections')).data
  } catch (problem) {
    say($('status'), 'status_failed', { detail: problem.message })
  }
}

function show(chosen) {
  const all = known(chosen) ? collections : [...collections, { name: chosen, documents: 0 }]
  picker.replaceChildren(...all.map(({ name, documents }) => el('option', { value: name }, t('collection_option', { name, n: documents }))))
  picker.value = chosen
  $('indexes').replaceChildren(...all.map(({ name }) => el('option', { value: name })))
  showWelcome(known(chosen))
}

function showWelcome(collection) {
  const empty = !collection?.documents
  say($('welcome-text'), empty ? 'welcome_empty' : 'welcome_text')
  $('first-file').hidden = !empty
  $('suggestions').replaceChildren(...suggest(collection?.questions ?? []))
}

// The collection picker, and the suggested questions of the selected collection.

import { showActive } from './active.js'
import { call } from './api.js'
import { offerConnections } from './connections.js'
import { $, el, say } from './dom.js'
import { offerFeedback } from './feedback_view.js'
import { offerModel } from './model.js'
import { currentLanguage, t } from './i18n.js'
import { recall, remember } from './memory.js'
import { suggest } from './suggestions.js'
import { offerVoices } from './voices.js'

const DEFAULT = 'default'
const picker = $('index')
let collections = []
let counted = { name: null } // the documents as last listed, which is newer than what the collections say
let latest = 0 // only the newest response counts

export const chosenCollection = () => picker.value || DEFAULT
export const firstCollection = () => collections[0]?.name ?? DEFAULT

/** Loads the collections and selects the last used one if it still exists. */
export async function startCollections() {
  await read()
  const remembered = recall('index')
  show(remembered !== null && known(remembered) ? remembered : firstCollection())
}

/** Reloads the collections, whose questions depend on the page's language, and keeps the selection. */
export async function refreshCollections() {
  await read()
  show(chosenCollection())
}

/** Selects a collection, which may be new. */
export function chooseCollection(name) {
  remember('index', name)
  $('into').value = name
  show(name)
}

/** Takes how many documents of a collection are ready, `documents`, and how many are being read. */
export function countDocuments(name, { documents, reading }) {
  if (counted.name === name && counted.documents === documents && counted.reading === reading) return
  counted = { name, documents, reading }
  show(chosenCollection())
}

const known = name => collections.find(collection => collection.name === name)

async function read() {
  const mine = ++latest
  try {
    const found = await call('GET', `/collections?lang=${currentLanguage()}`)
    if (mine !== latest) return
    collections = found.data
    $('manage').hidden = $('show-admin').hidden = !found.may_manage
    offerConnections(collections)
    offerVoices(collections, found.may_manage)
    offerFeedback(collections, found.may_manage)
    offerModel(found.may_manage)
  } catch (problem) {
    say($('status'), 'status_failed', { detail: problem.message })
  }
}

function show(chosen) {
  const listed = known(chosen) ? collections : [...collections, { name: chosen, documents: 0, reading: 0, questions: [] }]
  const all = listed.map(each => (each.name === counted.name ? { ...each, ...counted } : each))
  picker.replaceChildren(...all.map(({ name, documents }) => el('option', { value: name }, t('collection_option', { name, n: documents }))))
  picker.value = chosen
  $('indexes').replaceChildren(...all.map(({ name }) => el('option', { value: name })))
  showActive()
  showWelcome(all.find(({ name }) => name === chosen))
}

function showWelcome({ documents, reading, questions }) {
  const empty = documents + reading === 0
  const text = empty ? 'welcome_empty' : !reading ? 'welcome_text' : documents ? 'welcome_reading' : 'welcome_first'
  say($('welcome-text'), text, { n: reading, all: documents + reading })
  $('first-file').hidden = $('welcome-types').hidden = !empty
  $('suggestions').replaceChildren(...suggest(questions ?? []))
}

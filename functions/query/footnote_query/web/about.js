// What ingest noted about the document in the source panel: summary, topics, type, personal data. Loaded when its details are opened.

import { call } from './api.js'
import { $, el, say } from './dom.js'

const SHOWN = ['summary', 'topics', 'type', 'pii']
const facts = $('source-facts')
let wanted = '' // the id of the document in the panel

/** Forgets the document that was shown before. */
export function aboutDocument(docId) {
  wanted = docId
  $('source-about').replaceChildren()
  if (facts.open) load()
}

async function load() {
  const mine = wanted
  if (!mine || $('source-about').children.length > 0) return
  const found = await call('GET', `/documents/${encodeURIComponent(mine)}`).catch(() => null) // the passage is shown without it
  if (mine === wanted) $('source-about').replaceChildren(...partsOf(found?.additional_field ?? ''))
}

function partsOf(line) {
  const noted = Object.fromEntries(line.split(' | ').map(part => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]))
  return SHOWN.filter(name => noted[name]).map(name => el('div', {}, say(el('dt'), `about_${name}`), valueOf(name, noted[name])))
}

function valueOf(name, value) {
  if (name === 'pii') return say(el('dd'), value === 'true' ? 'about_pii_found' : 'about_pii_none')
  return el('dd', {}, name === 'topics' ? value.split(',').join(', ') : value)
}

facts.addEventListener('toggle', () => facts.open && load())

// The page: wires the question box, the options, the conversation and the documents together.

import { call } from './api.js'
import { addFiles, refuseFolder, showDocuments, watchDocuments } from './documents.js'
import { $, el, say } from './dom.js'
import { acceptFiles } from './drop.js'
import { currentLanguage, setLanguage, translatePage } from './i18n.js'
import { recall, remember } from './memory.js'
import { openPanel } from './panels.js'
import { Turn } from './turn.js'

const DEFAULT_INDEX = 'default'
const question = $('question')
const index = $('index')
let collections = []
let running = null

// --- asking ---

async function askQuestion(text) {
  if (!text || running || !$('results').reportValidity()) return
  const turn = new Turn({
    query_text: text,
    index_name: index.value || DEFAULT_INDEX,
    permission_groups: [],
    retriever: $('retriever').value,
    num_result_doc: Number($('results').value),
  })
  turn.element.addEventListener('again', () => askQuestion(text))
  running = turn
  showRunning(true)
  $('welcome').hidden = true
  $('thread').append(turn.element)
  turn.element.scrollIntoView()
  await turn.run()
  running = null
  showRunning(false)
}

function showRunning(on) {
  const hadFocus = [$('send'), $('stop')].includes(document.activeElement)
  $('thread').setAttribute('aria-live', on ? 'off' : 'polite')
  $('send').hidden = on
  $('stop').hidden = !on
  if (hadFocus) question.focus() // a hidden button would lose it
}

function fitQuestion() {
  question.style.height = 'auto'
  question.style.height = `${question.scrollHeight}px`
}

$('ask').addEventListener('submit', event => {
  event.preventDefault()
  const text = question.value.trim()
  if (!text || running) return
  question.value = ''
  fitQuestion()
  askQuestion(text)
})
question.addEventListener('input', fitQuestion)
question.addEventListener('keydown', event => {
  const composing = event.isComposing || event.keyCode === 229 // Enter then ends a Hangul syllable; Safari tells only the code
  if (event.key !== 'Enter' || event.shiftKey || composing) return
  event.preventDefault()
  $('ask').requestSubmit()
})
$('stop').addEventListener('click', () => running?.stop())

// --- the index and what may be asked of it ---

/** Reads the indexes anew and keeps the chosen one, or takes `wanted`. */
async function loadCollections(wanted = index.value) {
  try {
    collections = (await call('GET', '/collections')).data
  } catch (problem) {
    say($('status'), 'status_failed', { detail: problem.message })
  }
  const names = [...new Set([...collections.map(({ name }) => name), wanted || DEFAULT_INDEX])]
  index.replaceChildren(...names.map(name => el('option', { value: name }, name)))
  $('indexes').replaceChildren(...names.map(name => el('option', { value: name })))
  index.value = wanted && names.includes(wanted) ? wanted : names[0]
  showWelcome()
}

function showWelcome() {
  const chosen = collections.find(({ name }) => name === index.value)
  const empty = !chosen?.documents
  say($('welcome-text'), empty ? 'welcome_empty' : 'welcome_text')
  $('first-file').hidden = !empty
  const button = text => el('button', { type: 'button', onclick: () => askQuestion(text) }, text)
  $('suggestions').replaceChildren(...(chosen?.questions ?? []).map(text => el('li', {}, button(text))))
}

async function chooseIndex(name) {
  remember('index', name)
  $('into').value = name
  showWelcome()
  await showDocuments(name)
}

index.addEventListener('change', () => chooseIndex(index.value))
for (const id of ['retriever', 'results']) {
  $(id).value = recall(id) ?? $(id).value
  $(id).addEventListener('change', () => remember(id, $(id).value))
}
if (!$('retriever').value) $('retriever').selectedIndex = 0 // a name that an older version remembered

// --- documents ---

async function takeFiles(files) {
  const name = $('into').value.trim() || index.value
  if (name !== index.value) {
    if (![...index.options].some(option => option.value === name)) index.append(el('option', { value: name }, name))
    index.value = name
    await chooseIndex(name)
  }
  if (!matchMedia('(min-width: 1000px)').matches && !$('sheet').open) openPanel($('documents'))
  await addFiles(files)
}

acceptFiles(takeFiles, refuseFolder)
watchDocuments(() => loadCollections())

// --- start ---

$('language').value = currentLanguage()
$('language').addEventListener('change', () => setLanguage($('language').value))
translatePage()
const remembered = recall('index')
await loadCollections(remembered ?? '')
if (remembered && !collections.some(({ name }) => name === remembered)) await loadCollections('')
await chooseIndex(index.value)
document.documentElement.dataset.ready = 'true'

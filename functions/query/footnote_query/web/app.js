// Entry point of the page: connects the question box, the thread, the list of conversations and the documents.

import { currentRoom, NEW } from './address.js'
import { holdsQuestion, showAttachments, watchAttachments } from './attachments.js'
import { chooseCollection, chosenCollection, countDocuments, firstCollection, refreshCollections, startCollections } from './collections.js'
import { canSearch, focusQuestion, searchOptions, showRunning, watchComposer, writeQuestion } from './composer.js'
import { refreshConversations, showConversations, watchConversations } from './conversations.js'
import { copyText } from './copy.js'
import { download } from './download.js'
import { addFiles, showDocuments, watchDocuments } from './documents.js'
import { $ } from './dom.js'
import { closeDrawer } from './drawer.js'
import { acceptFiles } from './drop.js'
import { conversationMarkdown, fileName } from './export.js'
import { currentLanguage, setLanguage, showTimes, translatePage } from './i18n.js'
import { openLinked } from './linked.js'
import { watchManagement } from './manage.js'
import { isOffline } from './offline.js'
import { openPanel } from './panels.js'
import { showModel } from './model.js'
import './my_data.js'
import { startReaders } from './readers.js'
import './share.js'
import { watchShortcuts } from './shortcuts.js'
import './sign_in.js'
import { startSources } from './sources.js'
import { askHere, finishedTurns, isBusy, isRunning, roomToAsk, shownRoom, showRoom, stopRunning, watchThread } from './thread.js'

const TIMES_MS = 20_000 // how old “5 minutes ago” becomes

// --- asking ---

const collectionsKnown = startCollections()

async function askQuestion(text, fields) {
  await collectionsKnown // a question may be sent before the collections are loaded
  await showRoom() // the address may already name another conversation, as its event comes later
  if (isBusy()) return writeQuestion(text)
  if (!canSearch()) return
  const asked = askHere({ query_text: text, index_name: chosenCollection(), permission_groups: [], quote: true, ...searchOptions(), ...fields })
  focusQuestion() // the clicked button may be gone
  await asked
  await Promise.all([refreshConversations(), showModel()])
}

function showThread() {
  const turns = finishedTurns()
  showRunning(isRunning())
  showConversations(shownRoom())
  showAttachments(shownRoom())
  $('welcome').hidden = shownRoom() !== null
  $('share').hidden = $('export').hidden = turns.length === 0
  document.title = turns.length > 0 ? `${turns[0].question} – Footnote` : 'Footnote'
}

watchComposer({ mayAsk: () => !isOffline() && !isBusy() && canSearch() && !holdsQuestion(), onAsk: askQuestion, onStop: stopRunning })
watchAttachments(roomToAsk)
watchThread({ onAsk: askQuestion, changed: showThread })
$('suggestions').addEventListener('ask', ({ detail: { text } }) => askQuestion(text))

// --- conversations ---

addEventListener('hashchange', async () => {
  closeDrawer()
  await showRoom()
  if (shownRoom() === null) focusQuestion()
})
watchConversations(room => room === shownRoom() && location.assign(NEW))

const exported = () => conversationMarkdown(finishedTurns())
$('export-copy').addEventListener('click', () => copyText(exported(), $('export'), 'export'))
$('export-save').addEventListener('click', () => download(fileName(finishedTurns()[0].question), exported(), 'text/markdown;charset=utf-8'))
for (const id of ['export-copy', 'export-save']) $(id).addEventListener('click', () => $('export-menu').hidePopover())

// --- collections and documents ---

async function changeCollection(name) {
  chooseCollection(name)
  await showDocuments(name)
}

const collectionOfFiles = () => $('into').value.trim() || chosenCollection()

async function takeFiles(files) {
  const name = collectionOfFiles()
  if (name !== chosenCollection()) await changeCollection(name)
  if (!$('documents').checkVisibility()) openPanel($('documents'))
  addFiles(files)
}

$('index').addEventListener('change', () => changeCollection($('index').value))
acceptFiles(takeFiles, collectionOfFiles)
watchDocuments({ changed: refreshCollections, counted: countDocuments })
watchShortcuts({ chooseCollection: changeCollection })
watchManagement(name => changeCollection(name ?? firstCollection()))

// --- start ---

for (const link of document.querySelectorAll('.skip')) {
  link.addEventListener('click', event => {
    event.preventDefault() // the address names the conversation
    document.querySelector(link.hash).focus()
  })
}
$('language').value = currentLanguage()
$('language').addEventListener('change', () => {
  setLanguage($('language').value)
  refreshCollections()
  showModel()
})
translatePage()
setInterval(() => showTimes(), TIMES_MS)
await Promise.all([collectionsKnown, showModel(), startReaders(), refreshConversations(), currentRoom() === null ? showThread() : showRoom()])
startSources()
await changeCollection(chosenCollection())
await openLinked()
document.documentElement.dataset.ready = 'true'

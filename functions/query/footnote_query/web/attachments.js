// The files attached to the shown conversation: chips in the question box, and what adds them.

import { call } from './api.js'
import { explain } from './document_facts.js'
import { $, el, label, say } from './dom.js'
import { droppedFiles, pickedFiles } from './folders.js'
import { learnDocuments } from './format_icon.js'
import { t } from './i18n.js'
import { findDocument, isSettled } from './listing.js'
import { ARRIVAL_TIMEOUT_MS } from './upload_row.js'
import { sendFile } from './uploads.js'

const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 3000

const list = $('attachments')
let room = null // of the chips; a new conversation has one before its first question
let chips = []
let isHeld = false // a question waits until the files are read
let roomToAsk = () => null

class Chip {
  #item
  #abort = new AbortController()
  #isRemoved = false
  #what = el('span', { class: 'what' })
  #why = el('span', { class: 'why', hidden: true })
  #docId = null

  /** `name`: of the file; `item`: the file to send, as in folders.js. */
  constructor(name, item = null) {
    this.name = name
    this.state = 'sending'
    this.#item = item
    const button = label(el('button', { type: 'button', class: 'quiet icon cross', onclick: () => this.#remove() }), 'attachment_remove', { name })
    this.element = el('li', { class: 'attachment' }, el('span', { class: 'name', title: name }, el('bdi', {}, name)), this.#what, this.#why, button)
    this.#become('sending', 'upload_sending', { percent: 0 })
  }

  get isPending() {
    return this.state === 'sending' || this.state === 'reading'
  }

  /** Uploads the file; resolves when it has arrived, and reads on. Never throws. */
  async send(id) {
    const onProgress = share => say(this.#what, 'upload_sending', { percent: Math.round(share * 100) })
    try {
      this.#docId = await sendFile(this.#item, { room_id: id }, { signal: this.#abort.signal, onProgress })
    } catch (problem) {
      if (!this.#abort.signal.aborted) this.#fail({ reason: problem.message })
      return
    }
    this.#become('reading', 'state_PROCESSING')
    this.#follow()
  }

  /** Shows the server's document, and what becomes of it. */
  show(found) {
    this.#docId = found.doc_id
    learnDocuments([found])
    if (found.state === 'FAILED') this.#fail(found)
    else if (found.state === 'READY') {
      explain(this.#why, found) // a part may be unreadable
      this.#become('ready', 'state_READY')
    } else {
      this.#become('reading', 'state_PROCESSING')
      this.#follow()
    }
  }

  /** Asks for the document until it is read. A bucket announces a file through a queue: until then it is not found. */
  async #follow() {
    const until = Date.now() + ARRIVAL_TIMEOUT_MS
    try {
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
        await new Promise(resolve => setTimeout(resolve, pause))
        const found = await findDocument(this.#docId)
        if (found && this.#isRemoved) return await this.#delete()
        if (found && isSettled(found)) return this.show(found)
        if (!found && Date.now() > until) return this.#fail({ reason: t('upload_lost') })
      }
    } catch (problem) {
      this.#fail({ reason: problem.message })
    }
  }

  async #remove() {
    const isArriving = this.state === 'reading' // it is deleted when it is there
    this.#isRemoved = true
    this.#abort.abort()
    try {
      if (this.#docId && !isArriving) await this.#delete()
    } catch (problem) {
      this.#isRemoved = false
      return this.#fail({ reason: problem.message })
    }
    chips = chips.filter(chip => chip !== this)
    this.element.remove()
    $('question').focus()
    changed()
  }

  async #delete() {
    try {
      await call('DELETE', `/documents/${encodeURIComponent(this.#docId)}`)
    } catch (problem) {
      if (problem.status !== 404) throw problem
    }
  }

  #fail(why) {
    explain(this.#why, why)
    this.#become('failed', 'state_FAILED')
  }

  #become(state, key, values) {
    this.state = this.element.dataset.state = state
    say(this.#what, key, values)
    if (!this.isPending && chips.includes(this)) changed(this)
  }
}

/** `askedRoom()`: the conversation of the next question. */
export function watchAttachments(askedRoom) {
  roomToAsk = askedRoom
  $('attach').addEventListener('click', () => $('attach-files').click())
  $('attach-files').addEventListener('change', ({ target }) => {
    attach(pickedFiles(target.files))
    target.value = '' // so that the same file can be chosen again
  })
  $('ask').addEventListener('drop', async event => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault() // the page then leaves the files to the question box
    attach(await droppedFiles(event.dataTransfer))
  })
  $('question').addEventListener('paste', event => {
    const { files, types } = event.clipboardData
    if (files.length === 0 || types.includes('text/plain')) return // a spreadsheet's cells are copied as text and as a picture
    event.preventDefault()
    attach(pickedFiles(files))
  })
  $('mode').addEventListener('change', showNotes)
}

/** Shows the files of this conversation; null = a new one. */
export async function showAttachments(shown) {
  const wanted = shown ?? roomToAsk()
  if (wanted === room) return
  room = wanted
  chips = []
  isHeld = false
  changed()
  if (shown === null) return
  let found = []
  try {
    found = (await call('GET', `/documents?${new URLSearchParams({ room_id: wanted })}`)).data
  } catch {
    return // the conversation itself says what is wrong
  }
  if (room !== wanted) return
  chips = [...found.map(document => [new Chip(document.file_name), document]).map(([chip, document]) => (chip.show(document), chip)), ...chips]
  changed()
}

/** Whether a question must wait for files that are not read yet. It is then sent when they are, unless one of them fails. */
export function holdsQuestion() {
  isHeld = chips.some(({ isPending }) => isPending)
  showNotes()
  return isHeld
}

async function attach(items) {
  const id = room
  const added = items.map(item => new Chip(item.path, item))
  chips.push(...added)
  changed()
  for (const chip of added) if (chips.includes(chip)) await chip.send(id)
}

/** `chip`: the one that was settled. */
function changed(chip = null) {
  list.replaceChildren(...chips.map(({ element }) => element))
  list.hidden = chips.length === 0
  if (chip) say($('attachments-said'), `attachment_${chip.state}`, { name: chip.name })
  if (chip?.state === 'failed') isHeld = false
  const isFree = isHeld && !chips.some(({ isPending }) => isPending)
  if (isFree) isHeld = false
  showNotes()
  if (isFree) $('ask').requestSubmit()
}

function showNotes() {
  const note = isHeld ? 'attachments_wait' : chips.length > 0 && $('mode').value === 'gpt' ? 'attachments_unread' : ''
  $('attachments-note').hidden = !note
  if (note) say($('attachments-note'), note)
}

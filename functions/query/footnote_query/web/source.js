// The source panel: the cited document, opened at the cited page with the passage highlighted.

import { aboutDocument } from './about.js'
import { Problem, call } from './api.js'
import { quoteFault } from './claims.js'
import { contentAddress } from './content_address.js'
import { pathOf } from './document_facts.js'
import { $, el, say, scrollWithin } from './dom.js'
import { openPanel } from './panels.js'
import { PdfView, loadPdfjs } from './pdf_view.js'
import { markSnippet, scoresOf } from './quote.js'
import './source_edge.js'
import { findInPages, findInText, findNothing } from './source_find.js'
import { renderText, unitOf } from './text_view.js'

const panel = $('passage')
const view = $('source-view')
let cited = null // the shown citation
let sentence = 0 // index of its selected sentence, which is highlighted strongly
let among = [] // all citations of the answer, in order
let source = null // the server's response
let pdf = null // the open PdfView
let asText = false
let latest = 0 // only the newest call may change the panel

/** Opens the panel on `{chunk_id, doc_id, title, page, headings, bounds, snippet, content, score, bm25, cosine}`;
 * `siblings`: the citations for previous and next; `which`: index of the sentence in `bounds`. */
export async function openSource(citation, siblings = [citation], which = 0) {
  among = siblings
  await Promise.all([show(citation, which), openPanel(panel, citation.linked)])
}

async function show(citation, which = 0) {
  const reopened = pdf && cited?.doc_id === citation.doc_id
  cited = citation
  sentence = which < (citation.bounds?.length ?? 0) ? which : 0
  if (!reopened) leave()
  describe()
  await load()
}

/** Shows what is known without a request: the passage as it was when the answer was given. */
function describe() {
  $('passage-title').textContent = cited.title
  showPlace(cited.unit === 'page' ? 'page' : `source_${cited.unit ?? 'page'}`)
  showFile('')
  $('passage-text').replaceChildren(...markSnippet(cited.content, words()))
  $('passage-scores').replaceChildren(...scoresOf(cited))
  $('source-facts').open = false
  aboutDocument(cited.doc_id)
  $('source-file').href = `${address()}?save=true`
  const place = among.indexOf(cited)
  $('source-cited').hidden = among.length < 2
  say($('source-which'), 'source_which', { number: String(place + 1), of: String(among.length) })
  setEnd('source-cited-back', place < 1)
  setEnd('source-cited-on', place === among.length - 1)
}

/** The selected sentence as it was when the answer was given; '' = the passage is gone. */
function words() {
  const [start, end] = cited.bounds?.[sentence] ?? []
  return sentence === 0 ? cited.snippet : Array.from(cited.content ?? '').slice(start, end).join('')
}

/** `unit`: the text for its page, slide or sheet. */
function showPlace(unit) {
  const path = pathOf(cited)
  const number = cited.page == null ? null : say(el('strong'), unit, { page: String(cited.page) })
  $('passage-place').replaceChildren(...[number, number && path && ' · ', path].filter(Boolean))
}

/** The file's name, where the title does not say it. */
function showFile(name) {
  const hides = !name || $('passage-title').textContent.includes(name)
  $('passage-file').hidden = hides
  $('passage-file').textContent = hides ? '' : name
}

async function load() {
  const mine = ++latest
  const late = () => mine !== latest
  view.ariaBusy = 'true'
  note(quoteFault(cited, sentence))
  if (!pdf) view.replaceChildren(say(el('p', { class: 'hint opening' }), 'source_opening'))
  if (cited.page != null) loadPdfjs().catch(() => {}) // preload; a failure is reported when it is needed
  try {
    const found = await locate(cited)
    if (late()) return
    source = found
    showFile(found.file_name)
    showPlace(unitOf(source.format, 'page'))
    if (source.changed) note(cited.linked ? 'source_linked_changed' : 'source_changed')
    if (source.format === 'pdf' && !asText) await showPdf(late)
    else await showText(late)
  } catch (problem) {
    if (!late()) fail(problem)
  }
  if (!late()) view.ariaBusy = 'false'
}

const address = (as = null, citation = cited) => contentAddress(citation, as, sentence)

/** The citation's current position in its document. Without the passage, the document is still shown. */
async function locate(citation) {
  try {
    const found = await call('GET', address(asText || citation.page == null ? 'blocks' : 'marks', citation))
    return { ...found, chunk_id: citation.chunk_id, changed: isChanged(citation, found.quote) }
  } catch (problem) {
    if (problem.status !== 404) throw problem
    const document = await call('GET', `/documents/${encodeURIComponent(citation.doc_id)}`)
    if (document.state === 'DELETED') throw problem
    return { ...document, blocks: [], marks: [], boxes: [], chunk_id: null, changed: true }
  }
}

/** Whether the quote no longer begins with the cited words, ignoring white space. */
function isChanged({ bounds }, quote) {
  const bare = text => text.replace(/\s+/g, '')
  return Boolean(bounds?.length && words()) && !bare(quote).startsWith(bare(words()))
}

async function showPdf(late) {
  try {
    if (!pdf) {
      const opened = await PdfView.open(address(), view, showMoved)
      if (late()) return opened.close()
      pdf = opened
      pdf.enter()
      const { doc_id } = cited
      findInPages(async () => (await call('GET', address('blocks', { doc_id }))).blocks, goTo)
    }
    setTools('pdf')
    await pdf.show(source.boxes, cited.page ?? 1)
    if (source.boxes.length === 0 && !source.changed && !late()) note('source_no_place')
  } catch {
    if (late()) return
    leave()
    note('source_no_pdf')
    await showText(late)
  }
}

async function showText(late) {
  const text = source.blocks.length > 0 ? source : await call('GET', address('blocks', { ...cited, chunk_id: source.chunk_id }))
  if (late()) return
  leave()
  setTools('text')
  view.replaceChildren(renderText(text))
  findInText(view)
  showMarkedText()
}

function showMarkedText() {
  const target = view.querySelector('mark:not(.also)') ?? view.querySelector(`[data-page="${cited.page}"]`)
  view.scrollTop = 0
  if (target) scrollWithin(target, { block: 'center', inline: 'nearest' })
}

/** Closes the document; the panel may stay open. */
function leave() {
  pdf?.close()
  pdf = null
  setTools(null)
  findNothing()
  view.replaceChildren()
}

function fail(problem) {
  leave()
  const gone = problem.status === 404
  const outside = cited.doc_id.startsWith('mcp:') // found by a connected system
  note(gone ? (outside ? 'source_outside' : cited.linked ? 'source_linked_gone' : 'source_gone') : 'source_failed', { detail: problem instanceof Problem ? problem.message : String(problem) })
  if (gone) $('source-file').removeAttribute('href')
  else view.append(say(el('button', { type: 'button', class: 'second source-again', onclick: load }), 'source_again'))
}

/** A note above the document, null = none. If it refers to the passage below, that section is opened. */
function note(key, values) {
  $('source-note').hidden = key === null
  if (key === null) return $('source-note').replaceChildren()
  say($('source-note'), key, values)
  if (['source_changed', 'source_gone', 'source_outside'].includes(key)) $('source-facts').open = true
}

// --- tools ---

function setTools(kind) {
  $('source-pages').hidden = $('source-zoom').hidden = kind !== 'pdf'
  $('source-back').hidden = kind === null
  $('source-text').hidden = kind === null || source?.format !== 'pdf'
}

function showMoved({ page, pages, percent }) {
  if (document.activeElement !== $('source-page')) $('source-page').value = page
  $('source-page').max = pages
  say($('source-of'), 'source_of', { pages })
  $('source-percent').textContent = `${percent} %`
  setEnd('source-page-back', page === 1)
  setEnd('source-page-on', page === pages)
}

/** An inactive button keeps the focus, which `disabled` would lose. */
function setEnd(id, isEnd) {
  $(id).setAttribute('aria-disabled', String(isEnd))
}

function goOn(step) {
  const next = among[among.indexOf(cited) + step]
  if (!next || !among.includes(cited)) return
  if (!$('source-cited').contains(document.activeElement)) $('passage-title').focus({ preventScroll: true })
  show(next)
}

function on(id, action, event = 'click') {
  $(id).addEventListener(event, action)
}

/** Does nothing if the document was closed meanwhile. */
function goTo(page) {
  if (page) pdf?.goTo(page).catch(() => {})
}

on('source-page-back', () => goTo(pdf.page - 1))
on('source-page-on', () => goTo(pdf.page + 1))
on('source-page', () => goTo($('source-page').valueAsNumber), 'change')
on('source-smaller', () => pdf.zoom(1 / 1.25))
on('source-larger', () => pdf.zoom(1.25))
on('source-fit', () => pdf.zoom(null))
on('source-back', () => (pdf ? pdf.showMarked(cited.page ?? 1).catch(() => {}) : showMarkedText()))
on('source-cited-back', () => goOn(-1))
on('source-cited-on', () => goOn(1))
on('source-text', () => {
  asText = !asText
  $('source-text').setAttribute('aria-pressed', String(asText))
  load()
})

panel.addEventListener('keydown', event => {
  if (event.metaKey || event.target.matches('input')) return
  if (event.key === '[') goOn(-1) // typed with Alt or Ctrl on some keyboards
  else if (event.key === ']') goOn(1)
  else if (pdf && event.key === '+' && !event.ctrlKey) pdf.zoom(1.25)
  else if (pdf && event.key === '-' && !event.ctrlKey) pdf.zoom(1 / 1.25)
})

// A hovered or focused citation is likely to be opened, so pdf.js is preloaded.
for (const event of ['pointerover', 'focusin']) {
  document.addEventListener(event, ({ target }) => target.closest?.('.cite, .footnotes button, .closest li, .hits button') && loadPdfjs().catch(() => {}))
}

new MutationObserver(() => {
  if (!panel.hidden) return
  latest++
  leave()
}).observe(panel, { attributeFilter: ['hidden'] })

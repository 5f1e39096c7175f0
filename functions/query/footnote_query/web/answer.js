// Renders a finished turn, live or stored: the answer with its citations, sources and actions.

import { describeCitation } from './citation_card.js'
import { DOUBT, checkedOf, isAdded, quoteFault } from './claims.js'
import { closestPassages } from './closest.js'
import { addCopyButtons } from './code_blocks.js'
import { pickCollection, writeQuestion } from './composer.js'
import { connectionsOf } from './connections.js'
import { copyText } from './copy.js'
import { placeOf } from './document_facts.js'
import { download } from './download.js'
import { $, el, label, say, sayTranslated } from './dom.js'
import { markExcerpts } from './excerpts.js'
import { answerMarkdown, conversationMarkdown, fileName } from './export.js'
import { feedbackOn } from './feedback.js'
import { formatIcon } from './format_icon.js'
import { knows } from './i18n.js'
import { renderAnswer, styleHeadings } from './markdown.js'
import { typeset } from './maths.js'
import { sourcesOf } from './meanwhile.js'
import { wayToChange, waysToConnect } from './model.js'
import { isFlawed, isSaid, noteKeys } from './notes.js'
import { receiptOf } from './receipt.js'
import { joinRuns } from './runs.js'
import { openSource } from './source.js'
import { questionButton, suggest, wantQuestion } from './suggestions.js'

/** `turn` is a `done` event with its question and steps, or one of GET /conversations/{room_id}. → the answer (`body`), the nodes above it (`before`), and what makes those below it (`after`). */
export function answerOf(turn) {
  const sources = sourcesOf(turn)
  const isClosest = turn.outcome === 'closest' && turn.extractive
  const body = isClosest ? closestOf(turn.answer, sources, turn.verdict?.because === 'likely' ? 'likely' : 'closest') : textOf(turn.answer, sources, turn.extractive, turn.claims)
  return { before: correction(turn), body, after: () => after(turn, sources, ...(isClosest ? [] : [...footnotes(sources), ...nearest(turn)])) }
}

/** What is quoted while a language model writes; `quote` is the event. */
export function quotedMeanwhile(quote) {
  const sources = sourcesOf(quote)
  const isClosest = quote.tier === 'closest'
  const title = el('summary', {}, say(el('h3'), isClosest ? 'closest_meanwhile' : 'quoted_meanwhile'))
  return [title, el('div', { class: 'quote' }, isClosest ? closestOf(quote.content, sources, null) : textOf(quote.content, sources, true))]
}

function textOf(text, sources, quoted, claims) {
  const shown = checkedOf(sources, claims)
  const { body, places } = rendered(text, shown, quoted)
  const runs = joinRuns(body, places, ({ source, which }) => (quoteFault(source, which) ? null : `${source.number} ${isAdded(source, which)}`))
  for (const [sup, { source, which }] of places) sup.append(marker(source, shown, runs.get(sup) ?? [{ which }]), ...faultOf(quoteFault(source, which)))
  return body
}

function closestOf(text, sources, title) {
  const { body, places } = rendered(text, sources, true)
  return closestPassages(sources, body, places, title)
}

/** → `body`, and its `places`: the element for each marker → its citation and the index of its sentence among those of the citation. */
function rendered(text, sources, quoted) {
  const places = new Map()
  const body = renderAnswer(text, sources, (n, span) => {
    if (n === DOUBT) return el('sup', {}, mark('?', 'doubted_sentence'))
    const sup = el('sup')
    places.set(sup, { source: sources.find(({ number }) => number === n), which: span })
    return sup
  })
  if (quoted) {
    styleHeadings(body)
    markExcerpts(body, places, ({ source, which }) => openSource(source, sources, which))
  }
  addCopyButtons(body)
  typeset(body) // takes its time; until then the formulas' source is shown
  return { body, places }
}

/** The mark behind a sentence that no passage supports, or a citation whose quote is not in its passage. */
const mark = (sign, key) => el('span', { class: 'doubt', tabindex: '0' }, el('span', { 'aria-hidden': 'true' }, sign), say(el('span', { class: 'tip' }), key))
const faultOf = key => (key ? [mark('≠', key)] : [])

function after(turn, sources, ...shown) {
  const footer = actions(turn, sources)
  return [...notes(turn), ...shown, ...ways(turn), footer, ...connectionsOf(footer, sources), receiptOf(turn), ...followUps(turn)]
}

/** What was searched for in place of a question with typos, and the way back. */
function correction({ question, corrected }) {
  if (!corrected) return []
  const back = questionButton('search_as_written', event => wantQuestion(event.target, question, { spelling: false }))
  return [el('p', { class: 'note corrected' }, say(el('span'), 'corrected', { question: corrected }), ' ', back)]
}

export const askAgain = text => questionButton('retry', event => wantQuestion(event.target, text))
export const changeQuestion = text => questionButton('change_question', () => writeQuestion(text))

/** `claims`: what it stands behind, as in runs.js; of the only one no more than `which` is needed. */
function marker(source, shown, claims) {
  const among = shown.filter(({ number }) => number !== DOUBT)
  const button = el('button', { type: 'button', class: isAdded(source, claims[0].which) ? 'cite added' : 'cite' }, String(source.number))
  const values = { number: String(source.number), title: source.title, page: String(source.page), name: source.section ?? '' }
  const unit = source.unit === 'sheet' && source.section ? 'sheet_named' : (source.unit ?? 'page')
  label(button, source.page == null ? 'citation' : `citation_${unit}`, values).removeAttribute('title') // the card says more
  return describeCitation(button, source, claims, which => openSource(source, among, which))
}

function notes(turn) {
  const known = noteKeys(turn).map(key => (knows(key) ? say(el('p', { class: 'note' }), key) : el('p', { class: 'note' }, key.replace('warning_', ''))))
  if (turn.model_failed) return [...known, el('p', { class: 'note failed' }, sayTranslated(el('span'), turn.notice), askAgain(turn.question), wayToChange())]
  if (!turn.notice || isSaid(turn)) return known
  if (!turn.extractive) return [...known, el('p', { class: 'notice' }, el('span', {}, turn.notice))]
  const key = turn.outcome === 'refused' ? 'no_model_used' : 'quoted_without_model'
  return [...known, el('p', { class: 'notice' }, say(el('span'), key), ...waysToConnect())]
}

function footnotes(sources) {
  if (sources.length === 0) return []
  const rows = sources.map(source => el('li', {}, passage(source, el('span', { class: 'number' }, String(source.number)), readable(source.snippet), () => openSource(source, sources))))
  return [el('ol', { class: 'footnotes' }, ...rows)]
}

/** Where a language model said that the documents lack the answer: what it was shown. */
function nearest({ hits, outcome, extractive, warnings }) {
  if (outcome !== 'refused' || extractive || isFlawed(warnings) || hits.length === 0) return []
  const rows = hits.map(hit => el('li', {}, passage(hit, el('span', { class: 'number' }, '·'), readable(hit.content), () => openSource(hit))))
  return [el('section', { class: 'nearest' }, say(el('h3'), 'closest'), el('ol', { class: 'footnotes' }, ...rows))]
}

const RULE = /^\|[\s|:-]+$/

/** Table rows without pipes and without the delimiter row. */
function readable(text) {
  const lines = text.split('\n').filter(line => !RULE.test(line))
  return lines.map(line => (line.startsWith('|') ? line.replace(/^\|\s*|\s*\|\s*$/g, '').replace(/\s*(?<!\\)\|\s*/g, ' · ') : line)).join('\n')
}

function passage({ doc_id, title, page, unit, section }, sign, text, onclick) {
  const [key, values] = placeOf({ page, unit, section })
  const under = unit !== 'sheet' && section ? el('span', { class: 'section' }, section) : null
  const source = el('span', { class: 'source' }, el('b', {}, formatIcon({ doc_id, unit }), title), under, key && say(el('span', { class: 'page' }), key, values))
  return el('button', { type: 'button', onclick }, sign, el('span', {}, source, el('span', { class: 'snippet' }, text)))
}

/** Where nothing is close, and asking the same again would change nothing: what else to do. */
const isNothing = ({ outcome, extractive, model_failed: failed }) => !failed && (outcome === 'no_hits' || (outcome === 'refused' && extractive))

function ways(turn) {
  if (!isNothing(turn)) return []
  const other = say(el('button', { type: 'button', class: 'second other-collection', onclick: pickCollection }), 'other_collection')
  const add = say(el('button', { type: 'button', class: 'second', onclick: () => $('choose').click() }), 'choose')
  const change = say(el('button', { type: 'button', class: 'second', onclick: () => writeQuestion(turn.question) }), 'change_question')
  return [el('p', { class: 'ways' }, change, other, add)]
}

function actions(turn, sources) {
  if (turn.outcome === 'withdrawn') return el('footer', { class: 'actions' }, askAgain(turn.question))
  const copy = label(el('button', { type: 'button', class: 'quiet icon copy', onclick: () => copyText(answerMarkdown(turn), copy, 'copy') }), 'copy')
  const write = () => download(fileName(turn.question), conversationMarkdown([turn]), 'text/markdown;charset=utf-8')
  const save = label(el('button', { type: 'button', class: 'quiet icon save', onclick: write }), 'save_answer')
  const again = turn.outcome === 'closest' ? [changeQuestion(turn.question)] : turn.outcome === 'refused' && !turn.extractive ? [askAgain(turn.question)] : []
  return el('footer', { class: 'actions' }, copy, save, ...regenerate(turn), ...feedbackOn(turn, sources), ...again)
}

/** Only of what a model wrote: quoted sentences would be the same again. */
function regenerate({ question, extractive, outcome }) {
  if (extractive || !['answered', 'cached'].includes(outcome)) return []
  return [label(el('button', { type: 'button', class: 'quiet icon again', onclick: event => wantQuestion(event.currentTarget, question) }), 'regenerate')]
}

function followUps({ suggested_questions: questions }) {
  if (!questions?.length) return []
  return [el('section', { class: 'follow-ups' }, say(el('h3'), 'follow_ups'), el('ul', { class: 'suggestions' }, ...suggest(questions)))]
}

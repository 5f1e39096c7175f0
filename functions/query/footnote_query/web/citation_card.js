// A card at a citation under the pointer or the keyboard's focus: the passage with the cited words marked, its section and page. Where a
// citation stands for several sentences, these are highlighted, and the card lists them, each with the words that support it.
// All of it is in the reply; nothing is loaded. A touch opens the document, or the card where there is a list.

import { citedWords } from './cited_words.js'
import { isAdded, quoteFault } from './claims.js'
import { el, joined, say } from './dom.js'
import { pathOf, placeOf } from './document_facts.js'
import { fileNameOf } from './format_icon.js'

const WAIT_MS = 250 // so that a pointer on its way opens nothing
const LEAVE_MS = 150 // to move from the citation onto the card
const LINE = 48 // pixels that an arrow key scrolls a long card
const GAP = 6 // pixels between the citation and its card

const described = new WeakMap()
const card = el('div', { class: 'citation-card', popover: 'manual' })
document.body.append(card)
let owner = null // the citation whose card is shown
let timer = 0
let isTouch = false // the last pointer

/** The card of `button`: of `source`, as `openSource` takes it; `claims`: the sentences that it stands for, as in runs.js. `open(which)`:
 * opens the source at its cited sentence of this index. */
export function describeCitation(button, source, claims, open) {
  const openAt = which => {
    button.focus({ preventScroll: true }) // gets the focus back when the source is closed
    hide()
    open(which)
  }
  described.set(button, { source, claims, openAt })
  button.addEventListener('click', () => (claims.length > 1 && isTouch && owner !== button ? show(button) : openAt(claims[0].which)))
  return button
}

/** Table rows without pipes and without the delimiter row. */
const tidy = text => text.replace(/^\|[\s|:-]+$/gm, '').replace(/^\|[ \t]*|[ \t]*\|[ \t]*$/gm, '').replace(/[ \t]*(?<!\\)\|[ \t]*/g, ' · ').replace(/\n{2,}/g, '\n')

function contents({ source, claims, openAt }) {
  const [{ which }] = claims
  const [key, values] = placeOf(source)
  const fault = quoteFault(source, which)
  const facts = [fileNameOf(source), pathOf(source), key && say(el('span', { class: 'page' }), key, values)].filter(Boolean)
  const head = [
    el('p', { class: 'card-title' }, source.title),
    facts.length > 0 && el('p', { class: 'card-place' }, ...joined(facts, ' · ')),
    fault && say(el('p', { class: 'card-fault' }), fault),
    isAdded(source, which) && say(el('p', { class: 'card-place' }), 'added_citation'),
  ].filter(Boolean)
  if (claims.length === 1) {
    const [before, words, after] = citedWords(source, which).map(tidy)
    return [el('div', { id: 'citation-card', role: 'tooltip' }, ...head, el('p', { class: 'card-text' }, before, el('mark', {}, words), after))]
  }
  const rows = claims.map(claim => el('li', {}, el('button', { type: 'button', onclick: () => openAt(claim.which) },
    el('span', { class: 'card-claim' }, claim.text), ' ', el('mark', {}, tidy(citedWords(source, claim.which)[1])))))
  return [el('div', { id: 'citation-card' }, ...head, say(el('p', { class: 'card-place' }), 'card_claims', { n: claims.length })), el('ol', { class: 'card-claims' }, ...rows)]
}

function show(button) {
  if (!button.isConnected || owner === button) return
  hide()
  owner = button
  const { claims } = described.get(button)
  card.replaceChildren(...contents(described.get(button)))
  button.setAttribute('aria-describedby', 'citation-card')
  if (claims.length > 1) CSS.highlights?.set('claims', new Highlight(...claims.map(({ range }) => range)))
  card.showPopover()
  place(button.getBoundingClientRect())
}

/** Below the citation, or above it where there is more room; always inside the window. */
function place(at) {
  const { offsetWidth: width, offsetHeight: height } = card
  const room = document.documentElement
  const below = at.bottom + GAP
  const fits = below + height <= room.clientHeight || at.top < room.clientHeight - at.bottom
  card.style.left = `${Math.max(GAP, Math.min(at.left - 16, room.clientWidth - width - GAP))}px`
  card.style.top = `${fits ? below : Math.max(GAP, at.top - GAP - height)}px`
}

function hide() {
  clearTimeout(timer)
  if (!owner) return
  owner.removeAttribute('aria-describedby')
  owner = null
  CSS.highlights?.delete('claims')
  card.hidePopover()
}

/** Whether the keyboard is at the citation or on its card. */
const hasFocus = () => owner === document.activeElement || card.contains(document.activeElement)

function later(act, ms) {
  clearTimeout(timer)
  timer = setTimeout(act, ms)
}

const citationAt = node => {
  const button = node.closest?.('.cite')
  return button && described.has(button) ? button : null
}

document.addEventListener('pointerdown', ({ pointerType }) => (isTouch = pointerType === 'touch'), { capture: true })
document.addEventListener('pointerover', ({ target, pointerType }) => {
  if (pointerType === 'touch') return
  const button = citationAt(target)
  if (button) later(() => button.matches(':hover') && show(button), owner ? 0 : WAIT_MS) // the page may scroll meanwhile
  else if (card.contains(target)) clearTimeout(timer)
  else if (owner || timer) later(() => hasFocus() || hide(), LEAVE_MS)
})
document.addEventListener('focusin', ({ target }) => {
  const button = citationAt(target)
  if (button?.matches(':focus-visible')) show(button)
  else if (button !== owner && !card.contains(target)) hide()
})
document.addEventListener('click', ({ target }) => card.contains(target) || owner?.contains(target) || hide())
document.addEventListener('scroll', ({ target }) => {
  if (!owner || !target.contains(owner)) return // the card itself scrolls, or the open document
  if (hasFocus()) place(owner.getBoundingClientRect()) // the focus brought it into view
  else hide()
}, { capture: true, passive: true })
addEventListener('hashchange', hide)
addEventListener('keydown', event => {
  if (!owner) return
  if (event.key === 'Tab') return goOn(event)
  const step = { ArrowDown: LINE, ArrowUp: -LINE }[event.key]
  if (step && hasFocus() && card.scrollHeight > card.clientHeight) {
    event.preventDefault()
    return card.scrollBy({ top: step })
  }
  if (event.key !== 'Escape') return
  event.preventDefault()
  event.stopImmediatePropagation() // an open document stays open
  if (card.contains(document.activeElement)) owner.focus()
  hide()
}, { capture: true })

/** The card's list is between its citation and what follows that, wherever the card is in the page. */
function goOn(event) {
  const stops = [owner, ...card.querySelectorAll('button')]
  const at = stops.indexOf(document.activeElement)
  const next = stops[at + (event.shiftKey ? -1 : 1)]
  if (at < 0 || (at === 0 && event.shiftKey)) return
  if (!next) return owner.focus() // from there the browser goes on
  event.preventDefault()
  next.focus()
}

// A card at a citation under the pointer or the keyboard's focus: the passage with the cited words marked, its section and page.
// All of it is in the reply; nothing is loaded. A touch opens the document instead.

import { citedWords } from './cited_words.js'
import { isAdded, quoteFault } from './claims.js'
import { el, joined, say } from './dom.js'
import { placeOf } from './document_facts.js'

const WAIT_MS = 250 // so that a pointer on its way opens nothing
const LEAVE_MS = 150 // to move from the citation onto the card
const GAP = 6 // pixels between the citation and its card

const described = new WeakMap()
const card = el('div', { id: 'citation-card', class: 'citation-card', role: 'tooltip', popover: 'manual' })
document.body.append(card)
let owner = null // the citation whose card is shown
let timer = 0

/** The card of `button`: of `source`, as `openSource` takes it; `span`: index of its cited sentence. */
export function describeCitation(button, source, span) {
  described.set(button, { source, span })
  return button
}

/** Table rows without pipes and without the delimiter row. */
const tidy = text => text.replace(/^\|[\s|:-]+$/gm, '').replace(/^\|[ \t]*|[ \t]*\|[ \t]*$/gm, '').replace(/[ \t]*(?<!\\)\|[ \t]*/g, ' · ').replace(/\n{2,}/g, '\n')

function contents({ source, span }) {
  const [before, words, after] = citedWords(source, span).map(tidy)
  const [key, values] = placeOf(source)
  const path = (source.headings?.length ? source.headings : [source.section]).filter(heading => heading && heading !== source.title)
  const fault = quoteFault(source, span)
  const facts = [path.join(' › '), key && say(el('span', { class: 'page' }), key, values)].filter(Boolean)
  return [
    el('p', { class: 'card-title' }, source.title),
    facts.length > 0 && el('p', { class: 'card-place' }, ...joined(facts, ' · ')),
    fault && say(el('p', { class: 'card-fault' }), fault),
    isAdded(source, span) && say(el('p', { class: 'card-place' }), 'added_citation'),
    el('p', { class: 'card-text' }, before, el('mark', {}, words), after),
  ].filter(Boolean)
}

function show(button) {
  if (!button.isConnected || owner === button) return
  hide()
  owner = button
  card.replaceChildren(...contents(described.get(button)))
  button.setAttribute('aria-describedby', card.id)
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
  card.hidePopover()
}

function later(act, ms) {
  clearTimeout(timer)
  timer = setTimeout(act, ms)
}

const citationAt = node => {
  const button = node.closest?.('.cite')
  return button && described.has(button) ? button : null
}

document.addEventListener('pointerover', ({ target, pointerType }) => {
  if (pointerType === 'touch') return
  const button = citationAt(target)
  if (button) later(() => button.matches(':hover') && show(button), owner ? 0 : WAIT_MS) // the page may scroll meanwhile
  else if (card.contains(target)) clearTimeout(timer)
  else if (owner || timer) later(() => owner !== document.activeElement && hide(), LEAVE_MS)
})
document.addEventListener('focusin', ({ target }) => {
  const button = citationAt(target)
  if (button?.matches(':focus-visible')) show(button)
  else hide()
})
document.addEventListener('click', ({ target }) => !card.contains(target) && hide())
document.addEventListener('scroll', ({ target }) => {
  if (!owner || !target.contains(owner)) return // the card itself scrolls, or the open document
  if (owner === document.activeElement) place(owner.getBoundingClientRect()) // the focus brought it into view
  else hide()
}, { capture: true, passive: true })
addEventListener('hashchange', hide)
addEventListener('keydown', event => {
  if (event.key !== 'Escape' || !owner) return
  event.preventDefault()
  event.stopImmediatePropagation() // an open document stays open
  hide()
}, { capture: true })

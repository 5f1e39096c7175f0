// An answer's Markdown → nodes. The only place where text becomes HTML; DOMPurify sanitizes it.
//
// Citation markers travel through Markdown as two private-use characters around a number, and become
// elements afterwards, in text nodes only, so that document text can neither create nor break one. In code they
// become what was written.

import { placeMarkers, withoutReserved } from './markers.js'
import { htmlOf } from './markup.js'
import { placeFormulas } from './maths.js'
import DOMPurify from './vendor/purify.js'

const OPEN = '\uE000'
const CLOSE = '\uE001'
const PLACED = /\uE000(\d*)\uE001/
const LIVE_MARKER = /[ \t]?\[\^[^\]\n]{1,120}\](?!:)/g
const CUT_MARKER = /[ \t]?\[(\^[^\]\n]{0,120})?$/

const POLICY = {
  ALLOWED_TAGS: [
    'a', 'blockquote', 'br', 'code', 'del', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'li', 'ol', 'p', 'pre', 'strong',
    'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul',
  ],
  ALLOWED_ATTR: ['href', 'start', 'align'],
  ADD_URI_SAFE_ATTR: ['start'], // its values are not addresses
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:)/i,
  RETURN_DOM_FRAGMENT: true,
}

DOMPurify.addHook('afterSanitizeAttributes', node => {
  if (node.nodeName !== 'A' || !node.hasAttribute('href')) return
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noopener nofollow noreferrer')
})

/** Text that is still streaming: markers are shown as neutral dots, an incomplete marker at the end is withheld. */
export function renderLive(text, makeDot) {
  const markers = []
  const placed = withoutReserved(text).replace(CUT_MARKER, written => place(markers, written, () => '')).replace(LIVE_MARKER, written => place(markers, written, makeDot))
  return render(placed, markers)
}

/** The finished answer: each citation's spans are replaced by `makeLink(number, span)`, where `span` is the index from 0. */
export function renderAnswer(answer, citations, makeLink) {
  const markers = []
  return render(placeMarkers(answer, citations, (number, span, written) => place(markers, written, () => makeLink(number, span))), markers)
}

const place = (markers, written, make) => `${OPEN}${markers.push({ written, make }) - 1}${CLOSE}`

function render(text, markers) {
  const fragment = parse(text)
  placeFormulas(fragment)
  for (const node of textNodes(fragment)) {
    const pieces = node.data.split(PLACED) // text, number, text, number, …, text
    if (pieces.length === 1) continue
    const isCode = node.parentElement?.closest('code') != null
    node.replaceWith(...pieces.map((piece, at) => (at % 2 ? markerOf(markers[piece], isCode) : piece)))
  }
  for (const table of fragment.querySelectorAll('table')) {
    const frame = document.createElement('div')
    frame.className = 'table'
    frame.tabIndex = 0 // a wide table also scrolls by keyboard
    table.replaceWith(frame)
    frame.append(table)
  }
  return fragment
}

const markerOf = ({ written, make }, isCode) => (isCode ? written : make())

/** The text as it is, where it cannot be read as Markdown. */
function parse(text) {
  try {
    return DOMPurify.sanitize(htmlOf(text), POLICY)
  } catch (error) {
    console.error(error)
    const fragment = document.createDocumentFragment()
    fragment.append(document.createElement('p'))
    fragment.firstChild.textContent = text
    return fragment
  }
}

function textNodes(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const nodes = []
  while (walker.nextNode()) nodes.push(walker.currentNode)
  return nodes
}

/** Above an excerpt, a line in bold names its document and section; its language may follow. */
export function styleHeadings(body) {
  for (const strong of body.querySelectorAll('p > strong:first-child')) {
    const { previousSibling: before, nextSibling: next } = strong
    if (before || (next && !/^(?:\n| \([^()\n]+\)$)/.test(next.data ?? ''))) continue
    strong.className = 'from'
    if (next?.data.startsWith(' ')) strong.append(next)
  }
}

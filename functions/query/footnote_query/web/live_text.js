// An answer while it arrives. Blocks that further text does not change are drawn once; the last block is drawn again, and what is the same in it
// stays as it is.

import { el } from './dom.js'
import { renderLive } from './markdown.js'
import { closedLength } from './markup.js'

const PIECE = 60 // elements that are put in the page at once
const dot = () => el('sup', { class: 'dot' }, '•')

export class LiveText {
  #body
  #text = ''
  #closed = 0 // characters
  #drawn = 0 // nodes of what is closed

  /** `body`: the element to draw in. */
  constructor(body) {
    this.#body = body
  }

  get isEmpty() {
    return !this.#text
  }

  add(text) {
    this.#text += text
  }

  /** Draws the text that has been added since the last call. */
  draw() {
    const open = this.#text.slice(this.#closed)
    const length = closedLength(open)
    if (length > 0) {
      this.#replaceOpen(open.slice(0, length))
      this.#closed += length
      this.#drawn = this.#body.childNodes.length
    }
    this.#replaceOpen(open.slice(length))
  }

  #replaceOpen(text) {
    update(this.#body, [...this.#body.childNodes].slice(this.#drawn), [...renderLive(text, dot).childNodes])
  }
}

/** Makes the last children of `parent`, `olds`, equal to `fresh`. */
function update(parent, olds, fresh) {
  fresh.forEach((node, at) => {
    const old = olds[at]
    if (!old) parent.append(node)
    else if (old.isEqualNode(node)) return
    else if (!old.cloneNode().isEqualNode(node.cloneNode())) {
      if (old.nodeType === Node.TEXT_NODE && node.nodeType === Node.TEXT_NODE) old.data = node.data
      else old.replaceWith(node)
    } else update(old, [...old.childNodes], [...node.childNodes])
  })
  for (const old of olds.slice(fresh.length)) old.remove()
}

/** Puts nodes in place of what is in `body`, a few at a time: a slow phone lays them out without a pause that is felt. */
export async function replaceInPieces(body, nodes) {
  const olds = [...body.childNodes]
  let left = PIECE
  for (const [at, node] of nodes.entries()) {
    const size = node.querySelectorAll?.('*').length ?? 0
    if (left < size) {
      await drawnByBrowser()
      left = PIECE
    }
    left -= size
    if (olds[at]) olds[at].replaceWith(node)
    else body.append(node)
  }
  for (const old of olds.slice(nodes.length)) old.remove()
  await drawnByBrowser()
}

/** Until the page has been drawn; a hidden one is not. */
const drawnByBrowser = () => new Promise(resolve => {
  requestAnimationFrame(() => setTimeout(resolve))
  setTimeout(resolve, 100)
})

// On a slow phone it takes long until the browser has compiled all that draws a text, so it does that before there is one.
const idle = globalThis.requestIdleCallback ?? setTimeout
idle(() => renderLive('**a** `b` [^c]', dot))

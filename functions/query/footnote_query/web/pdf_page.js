// One page of a PDF in three layers: the canvas, the highlighted passage, and the invisible selectable text.

import { el, label } from './dom.js'

const MOST_PIXELS = 2 ** 24 // per canvas: browsers draw nothing on a canvas that is too large

export class PdfPage {
  #pdfjs
  #pdf
  #measured = null
  #wanted = 0 // pixels per point of the current or pending rendering; 0 = none
  #task = null
  #canvas = null
  #text = null

  constructor(pdfjs, pdf, number) {
    this.#pdfjs = pdfjs
    this.#pdf = pdf
    this.number = number
    this.marks = el('div', { class: 'pdf-marks' })
    this.element = label(el('div', { class: 'pdf-page', role: 'group' }, this.marks), 'source_page', { page: String(number) })
    this.element.removeAttribute('title')
  }

  /** Loads the page and sets its size, in points. Until then it has the first page's size. */
  measure() {
    this.#measured ??= this.#pdf.getPage(this.number).then(page => {
      const { width, height } = page.getViewport({ scale: 1 / page.userUnit })
      this.size = { width, height }
      this.element.style.setProperty('--width', width)
      this.element.style.setProperty('--height', height)
      return page
    })
    return this.#measured
  }

  /** Renders the page at this many pixels per point; the old canvas stays until the new one is complete. */
  async draw(zoom) {
    const wanted = zoom * devicePixelRatio
    if (this.#wanted === wanted) return
    this.#wanted = wanted
    const page = await this.measure()
    if (this.#wanted !== wanted) return
    this.#task?.cancel()
    const { width, height } = this.size
    const scale = Math.min(wanted, Math.sqrt(MOST_PIXELS / (width * height)))
    const viewport = page.getViewport({ scale: scale / page.userUnit })
    const canvas = el('canvas', { width: Math.ceil(viewport.width), height: Math.ceil(viewport.height), 'aria-hidden': 'true' })
    const task = (this.#task = page.render({ canvas, viewport }))
    try {
      await task.promise
    } catch (error) {
      if (error instanceof this.#pdfjs.RenderingCancelledException) return
      throw error
    }
    if (this.#wanted !== wanted) return
    this.#canvas?.remove()
    this.#canvas = canvas
    this.element.prepend(canvas)
    this.element.dataset.drawn = ''
    if (!this.#text) await this.#layText(page)
  }

  async #layText(page) {
    const container = (this.#text = el('div', { class: 'pdf-text' }))
    const viewport = page.getViewport({ scale: 1 / page.userUnit })
    this.element.append(container)
    await new this.#pdfjs.TextLayer({ textContentSource: page.streamTextContent(), container, viewport }).render()
  }

  /** Frees the canvas; size and marks stay. */
  clear() {
    if (this.#wanted === 0) return
    this.#wanted = 0
    this.#task?.cancel()
    this.#canvas?.remove()
    this.#text?.remove()
    this.#canvas = this.#text = null
    delete this.element.dataset.drawn
  }

  /** Boxes in points from the page's upper left corner. The page's size must be known. */
  mark(boxes) {
    const { width, height } = this.size
    const percent = (part, whole) => `${(100 * part) / whole}%`
    this.marks.replaceChildren(...boxes.map(({ x0, y0, x1, y1, bound }) => {
      const box = el('div', { class: bound > 0 ? 'pdf-mark also' : 'pdf-mark' })
      Object.assign(box.style, { left: percent(x0, width), top: percent(y0, height), width: percent(x1 - x0, width), height: percent(y1 - y0, height) })
      return box
    }))
  }
}

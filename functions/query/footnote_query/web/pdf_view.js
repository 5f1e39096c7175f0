// A PDF as a column of pages in a scroller. Only visible and neighbouring pages are rendered.

import { el } from './dom.js'
import { PdfPage } from './pdf_page.js'

const HOME = new URL('./vendor/pdfjs/', import.meta.url).href
const NATURAL = 96 / 72 // CSS pixels per point at 100 %
const [LEAST, MOST, LARGEST_FIT] = [0.25, 6, 2].map(factor => factor * NATURAL)
const [CRAMPED, READABLE] = [0.6 * NATURAL, 0.75 * NATURAL] // if a fitted page would be smaller than CRAMPED, zoom to READABLE at the passage
const MARGIN = 12 // pixels on each side of a page
const ABOVE = 0.25 // share of the scroller's height above the passage
const OPTIONS = {
  cMapUrl: `${HOME}cmaps/`,
  standardFontDataUrl: `${HOME}standard_fonts/`,
  wasmUrl: `${HOME}wasm/`,
  useWasm: false, // the content security policy allows no WebAssembly; the decoders also exist as scripts
  maxImageSize: 2 ** 27, // pixels; larger images are skipped
  verbosity: 0,
}
let library = null

/** pdf.js and its worker, loaded once, before the first PDF is opened. */
export function loadPdfjs() {
  library ??= import('./vendor/pdfjs/pdf.min.mjs').then(pdfjs => {
    pdfjs.GlobalWorkerOptions.workerSrc = `${HOME}pdf.worker.min.mjs`
    return { pdfjs, worker: new pdfjs.PDFWorker({ verbosity: OPTIONS.verbosity }) }
  })
  return library
}

export class PdfView {
  #task
  #scroller
  #onmove
  #pages = []
  #near = new Set()
  #marked = [] // boxes, in reading order
  #zoom = NATURAL
  #fits = true
  #later = 0
  #frame = 0
  #watchNear
  #watchSize
  #scrolled = () => (this.#frame ||= requestAnimationFrame(() => this.#moved()))
  #wheeled = event => this.#wheel(event)

  /** `scroller`: the element that receives the pages. `onmove({page, pages, percent})`: called after every scroll and zoom. */
  static async open(url, scroller, onmove) {
    const { pdfjs, worker } = await loadPdfjs()
    const task = pdfjs.getDocument({ url, worker, ...OPTIONS })
    try {
      const pdf = await task.promise
      const pages = Array.from({ length: pdf.numPages }, (_, place) => new PdfPage(pdfjs, pdf, place + 1))
      await pages[0].measure()
      return new PdfView(task, pages, scroller, onmove)
    } catch (error) {
      task.destroy()
      throw error
    }
  }

  constructor(task, pages, scroller, onmove) {
    this.#task = task
    this.#pages = pages
    this.#scroller = scroller
    this.#onmove = onmove
    this.page = 1
    this.element = el('div', { class: 'pdf' }, ...pages.map(page => page.element))
    this.element.style.setProperty('--width', pages[0].size.width)
    this.element.style.setProperty('--height', pages[0].size.height)
  }

  /** Puts the pages into the scroller. */
  enter() {
    this.#scroller.replaceChildren(this.element)
    this.#fit()
    const byElement = new Map(this.#pages.map(page => [page.element, page]))
    this.#watchNear = new IntersectionObserver(entries => {
      for (const { target, isIntersecting } of entries) this.#comes(byElement.get(target), isIntersecting)
    }, { root: this.#scroller, rootMargin: '75% 0px' })
    for (const page of this.#pages) this.#watchNear.observe(page.element)
    this.#watchSize = new ResizeObserver(() => this.#fits && this.#fit())
    this.#watchSize.observe(this.#scroller)
    this.#scroller.addEventListener('scroll', this.#scrolled)
    this.#scroller.addEventListener('wheel', this.#wheeled, { passive: false })
  }

  get pages() {
    return this.#pages.length
  }

  /** Highlights the boxes and scrolls to the first; without boxes, to the page. */
  async show(boxes, page) {
    for (const { number, marks } of this.#pages) if (marks.firstChild && !boxes.some(box => box.page === number)) marks.replaceChildren()
    this.#marked = boxes.filter(box => box.page <= this.pages)
    for (const number of new Set(this.#marked.map(box => box.page))) {
      await this.#pages[number - 1].measure()
      this.#pages[number - 1].mark(this.#marked.filter(box => box.page === number))
    }
    await this.showMarked(page)
  }

  async showMarked(page = 1) {
    const [first] = this.#marked
    await this.goTo(first?.page ?? page, first)
  }

  /** Scrolls to the top of a page or, given a box on it, to a little above the box. */
  async goTo(number, box = null) {
    const page = this.#pages[Math.min(Math.max(1, number), this.pages) - 1]
    // Pages measured after the jump would shift the view.
    await Promise.all([-2, -1, 0, 1].map(step => this.#pages[page.number - 1 + step]?.measure()))
    if (this.#fits) this.#fit(page)
    const top = page.element.offsetTop - MARGIN / 2
    this.#scroller.scrollTop = box ? Math.max(top, page.element.offsetTop + box.y0 * this.#zoom - ABOVE * this.#scroller.clientHeight) : top
    this.#scroller.scrollLeft = box ? this.#extent(page.number)[0] * this.#zoom : 0
    this.page = page.number
    await page.draw(this.#zoom)
    this.#moved()
  }

  /** Zooms by a factor; null = fit to width. */
  zoom(factor) {
    this.#fits = factor === null
    if (this.#fits) this.#fit()
    else this.#setZoom(this.#zoom * factor)
  }

  close() {
    this.#watchNear?.disconnect()
    this.#watchSize?.disconnect()
    this.#scroller.removeEventListener('scroll', this.#scrolled)
    this.#scroller.removeEventListener('wheel', this.#wheeled)
    clearTimeout(this.#later)
    cancelAnimationFrame(this.#frame)
    for (const page of this.#pages) page.clear()
    this.element.remove()
    this.#task.destroy()
  }

  #comes(page, isNear) {
    if (isNear) this.#near.add(page)
    else this.#near.delete(page)
    if (isNear) this.#draw(page)
    else page.clear()
  }

  /** A page that cannot be rendered stays white. */
  #draw(page) {
    page.draw(this.#zoom).catch(() => page.clear())
  }

  #fit(page = this.#pages[this.page - 1]) {
    const room = this.#scroller.clientWidth - 2 * MARGIN
    if (room <= 0) return
    const fitting = room / (page.size ?? this.#pages[0].size).width
    const [left, right] = this.#extent(page.number)
    const passage = fitting < CRAMPED && right > left ? Math.min(READABLE, room / (right - left)) : 0
    this.#setZoom(Math.min(Math.max(fitting, passage), LARGEST_FIT))
  }

  /** The horizontal extent of the boxes on a page, in points from its left edge. */
  #extent(number) {
    const boxes = this.#marked.filter(({ page }) => page === number)
    return [Math.min(...boxes.map(({ x0 }) => x0)), Math.max(...boxes.map(({ x1 }) => x1))]
  }

  #setZoom(zoom) {
    const scroller = this.#scroller
    const { element, part, height } = this.#anchor()
    const middle = (scroller.scrollLeft + scroller.clientWidth / 2) / scroller.scrollWidth
    this.#zoom = Math.min(Math.max(zoom, LEAST), MOST)
    this.element.style.setProperty('--zoom', this.#zoom)
    scroller.scrollTop = element.offsetTop + part * element.offsetHeight - height
    scroller.scrollLeft = middle * scroller.scrollWidth - scroller.clientWidth / 2
    clearTimeout(this.#later)
    this.#later = setTimeout(() => this.#near.forEach(page => this.#draw(page)), 120)
    this.#moved()
  }

  /** The point that stays in place when the size changes: the passage or, if it is not visible, the middle. */
  #anchor() {
    const { scrollTop, clientHeight } = this.#scroller
    const [box] = this.#marked
    if (box && this.#pages[box.page - 1].size) {
      const { element, size } = this.#pages[box.page - 1]
      const height = element.offsetTop + box.y0 * this.#zoom - scrollTop
      if (height >= 0 && height < clientHeight) return { element, part: box.y0 / size.height, height }
    }
    const { element } = this.#pages[this.page - 1]
    return { element, part: (scrollTop + clientHeight / 2 - element.offsetTop) / (element.offsetHeight || 1), height: clientHeight / 2 }
  }

  #wheel(event) {
    if (!event.ctrlKey) return // a pinch on a touchpad is a wheel event with Ctrl
    event.preventDefault()
    this.zoom(Math.exp(-event.deltaY / 300))
  }

  #moved() {
    this.#frame = 0
    const line = this.#scroller.scrollTop + this.#scroller.clientHeight * 0.4
    const above = [...this.#near].filter(({ element }) => element.offsetTop <= line).map(({ number }) => number)
    if (above.length > 0) this.page = Math.max(...above)
    this.#onmove({ page: this.page, pages: this.pages, percent: Math.round((100 * this.#zoom) / NATURAL) })
  }
}

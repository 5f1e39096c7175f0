// The width of the source panel: its edge is moved by pointer or arrow keys, and it can fill the window.

import { $ } from './dom.js'
import { recall, remember } from './memory.js'

const [LEAST, MOST, STEP] = [30, 75, 2] // percent of the window
const edge = $('source-edge')
const full = $('source-full')

function setWidth(percent) {
  const width = Math.min(Math.max(percent, LEAST), MOST)
  document.documentElement.style.setProperty('--source-width', `${width}vw`)
  edge.setAttribute('aria-valuenow', Math.round(width))
  return width
}

function setFull(on) {
  document.body.classList.toggle('source-full', on)
  full.setAttribute('aria-pressed', String(on))
}

edge.addEventListener('pointerdown', event => {
  edge.setPointerCapture(event.pointerId)
  event.preventDefault()
})
edge.addEventListener('pointermove', event => {
  if (edge.hasPointerCapture(event.pointerId)) remember('source-width', setWidth(100 * (1 - event.clientX / innerWidth)))
})
edge.addEventListener('keydown', event => {
  const step = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key]
  if (!step) return
  event.preventDefault()
  remember('source-width', setWidth(Number(edge.getAttribute('aria-valuenow')) + step))
})
full.addEventListener('click', () => setFull(!document.body.classList.contains('source-full')))

edge.setAttribute('aria-valuemin', LEAST)
edge.setAttribute('aria-valuemax', MOST)
setWidth(Number(recall('source-width')) || 50)

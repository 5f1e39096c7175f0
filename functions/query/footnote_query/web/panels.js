// The right-hand column: the documents or, above them, a source. On narrow screens each opens as a sheet,
// which has an entry in the history, so that Back closes it.

import { $ } from './dom.js'

const wide = matchMedia('(min-width: 1000px)')
const sheet = $('sheet')
const documents = $('documents')
const passage = $('passage')
const thread = $('thread')
let opener = null
let clicked = null // the last element of the conversation that was clicked

/** Shows a panel and moves the focus to its heading; `closePanel` restores the focus. `isLinked`: the page's address names what is shown,
 * so that Back leaves the page. */
export function openPanel(panel, isLinked = false) {
  opener = document.activeElement
  keepInPlace(thread.contains(opener) ? opener : clicked, () => place(panel, isLinked))
  panel.querySelector('h2').focus({ preventScroll: wide.matches })
}

export function closePanel() {
  if (sheet.open) sheet.close()
  else if (!passage.hidden) settle()
}

function place(panel, isLinked) {
  passage.hidden = panel !== passage
  document.body.classList.toggle('reading', panel === passage)
  if (wide.matches) return
  $('side').append(...sheet.children)
  sheet.append(panel)
  sheet.setAttribute('aria-labelledby', panel.getAttribute('aria-labelledby'))
  if (!sheet.open) sheet.showModal()
  if (!hasEntry() && !isLinked) history.pushState({ sheet: true }, '')
}

/** Whether the current entry of the history is the sheet's; its address is that of the page beneath. */
const hasEntry = () => Boolean(history.state?.sheet)

/** Restores the column: documents shown, source hidden. */
function settle() {
  keepInPlace(thread.contains(opener) ? opener : clicked, () => {
    passage.hidden = true
    document.body.classList.remove('reading')
    $('side').append(documents, passage)
  })
  if (opener?.isConnected) opener.focus({ preventScroll: wide.matches })
  opener = null
}

/** Makes the conversation wider or narrower, by `change()`, without moving `node`, or what is shown if `node` is not. */
function keepInPlace(node, change) {
  const top = shown => shown?.getClientRects()[0]?.top
  const isInView = top(node) > 0 && top(node) < innerHeight
  const { left, width } = thread.getBoundingClientRect()
  const kept = isInView ? node : document.elementFromPoint(left + width / 2, innerHeight / 3)
  const before = top(kept)
  change()
  if (thread.contains(kept)) scrollBy(0, top(kept) - before || 0) // NaN while the source fills the window
}

thread.addEventListener('click', ({ target }) => (clicked = target), { capture: true })

sheet.addEventListener('close', () => {
  if (sheet.open) return // the event comes later, and the sheet may be open again
  settle()
  if (hasEntry()) history.back()
})
addEventListener('popstate', () => {
  if (sheet.open && !hasEntry()) sheet.close()
  else if (!sheet.open && hasEntry()) history.back() // Forward, or a reload: what was shown is gone
})
if (hasEntry()) history.back() // reloaded
sheet.addEventListener('click', event => event.target === sheet && sheet.close()) // click on the backdrop
wide.addEventListener('change', () => (sheet.open ? sheet.close() : closePanel()))
document.addEventListener('keydown', event => {
  if (event.key === 'Escape' && !event.isComposing && !sheet.open) closePanel()
})
for (const button of document.querySelectorAll('.panel .close')) button.addEventListener('click', closePanel)
$('show-documents').addEventListener('click', () => openPanel(documents))

// The right-hand column: the documents or, above them, a source. On narrow screens each opens as a sheet.

import { $ } from './dom.js'

const wide = matchMedia('(min-width: 1000px)')
const sheet = $('sheet')
const documents = $('documents')
const passage = $('passage')
let opener = null

/** Shows a panel and moves the focus to its heading; `closePanel` restores the focus. */
export function openPanel(panel) {
  opener = document.activeElement
  place(panel)
  panel.querySelector('h2').focus({ preventScroll: wide.matches })
}

export function closePanel() {
  if (sheet.open) sheet.close()
  else if (!passage.hidden) settle()
}

function place(panel) {
  passage.hidden = panel !== passage
  document.body.classList.toggle('reading', panel === passage)
  if (wide.matches) return
  $('side').append(...sheet.children)
  sheet.append(panel)
  sheet.setAttribute('aria-labelledby', panel.getAttribute('aria-labelledby'))
  if (!sheet.open) sheet.showModal()
}

/** Restores the column: documents shown, source hidden. */
function settle() {
  passage.hidden = true
  document.body.classList.remove('reading')
  $('side').append(documents, passage)
  if (opener?.isConnected) opener.focus()
  opener = null
}

sheet.addEventListener('close', () => sheet.open || settle()) // the event comes later, and the sheet may be open again
sheet.addEventListener('click', event => event.target === sheet && sheet.close()) // click on the backdrop
wide.addEventListener('change', () => (sheet.open ? sheet.close() : closePanel()))
document.addEventListener('keydown', event => {
  if (event.key === 'Escape' && !event.isComposing && !sheet.open) closePanel()
})
for (const button of document.querySelectorAll('.panel .close')) button.addEventListener('click', closePanel)
$('show-documents').addEventListener('click', () => openPanel(documents))

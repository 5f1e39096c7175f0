// The question box and its search options.

import { showActive } from './active.js'
import { $, sayTranslated } from './dom.js'
import { recall, remember } from './memory.js'
import { questionButton, wantQuestion } from './suggestions.js'

const question = $('question')

/** `onAsk(text)`: called with a non-empty question. A question stays in the box while `mayAsk()` is false. */
export function watchComposer({ mayAsk, onAsk, onStop }) {
  $('ask').addEventListener('submit', event => {
    event.preventDefault()
    const text = question.value.trim()
    if (!text || !mayAsk()) return
    question.value = ''
    fit()
    onAsk(text)
  })
  question.addEventListener('input', fit)
  question.addEventListener('keydown', event => {
    const composing = event.isComposing || event.keyCode === 229 // Enter then ends a Hangul syllable; Safari only sets the key code
    if (event.key !== 'Enter' || event.shiftKey || composing) return
    event.preventDefault()
    $('ask').requestSubmit()
  })
  $('stop').addEventListener('click', onStop)
  for (const id of ['mode', 'retriever', 'results']) {
    $(id).value = recall(id) ?? $(id).value
    $(id).addEventListener('change', () => remember(id, $(id).value))
  }
  for (const id of ['mode', 'retriever']) if (!$(id).value) $(id).selectedIndex = 0 // a value stored by an older version
  for (const id of ['mode', 'retriever', 'results']) $(id).addEventListener('change', showOptions)
  $('results').addEventListener('invalid', () => showAdvanced(true)) // what cannot be seen cannot be mended
  $('advanced').addEventListener('click', () => {
    const isOpen = $('advanced-options').hidden
    showAdvanced(isOpen)
    remember('advanced', isOpen ? 'open' : null)
  })
  showAdvanced(recall('advanced') === 'open')
  showOptions()
  new ResizeObserver(() => document.documentElement.style.setProperty('--composer', `${$('ask').offsetHeight}px`)).observe($('ask'))
}

function showAdvanced(isOpen) {
  $('advanced-options').hidden = !isOpen
  $('advanced').setAttribute('aria-expanded', String(isOpen))
}

/** Modes that need a model can be chosen while there is one; `reason`: why there is none. */
export function allowModels(isThere, reason) {
  for (const option of $('mode').options) if (['gpt', 'pa'].includes(option.value)) option.disabled = !isThere
  $('needs-model').hidden = isThere
  sayTranslated($('needs-model').lastElementChild, reason)
}

const searches = () => $('mode').value !== 'gpt'

function showOptions() {
  for (const id of ['retriever', 'results']) $(id).closest('label').hidden = !searches()
  showActive()
}

export const canSearch = () => !searches() || $('results').reportValidity()

/** The part of the POST /ask/stream body that the options determine. `debug`: the receipt lists skipped steps and reasons. */
export const searchOptions = () => ({
  debug: true,
  ...($('mode').value === 'always' ? { mode: 'rag', search: 'always' } : { mode: $('mode').value }),
  ...(searches() ? { retriever: $('retriever').value, any_retriever: $('retriever').selectedIndex === 0, num_result_doc: Number($('results').value) } : {}),
})

/** Puts a question into the box for editing. */
export function writeQuestion(text) {
  question.value = text
  fit()
  question.focus()
}

/** Lets the user choose another collection. */
export function pickCollection() {
  $('index').focus()
  try {
    $('index').showPicker()
  } catch {
    // an older browser; the list has the focus
  }
}

/** A button that switches to documents and asks this question. */
export const askDocuments = text => questionButton('ask_documents', event => {
  $('mode').value = 'rag'
  $('mode').dispatchEvent(new Event('change'))
  wantQuestion(event.target, text)
})

export function showRunning(on) {
  const hadFocus = [$('send'), $('stop')].includes(document.activeElement)
  $('send').hidden = on
  $('stop').hidden = !on
  if (hadFocus) question.focus() // hiding the focused button loses the focus
}

export const focusQuestion = () => question.focus({ preventScroll: true })

function fit() {
  question.style.height = 'auto'
  question.style.height = `${question.scrollHeight}px`
}

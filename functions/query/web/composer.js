// The question box and how it searches.

import { $ } from './dom.js'
import { recall, remember } from './memory.js'
import { questionButton, wantQuestion } from './suggestions.js'

const question = $('question')

/** `onAsk(text)` with a question that is not empty; `onStop()`. A question that may not be asked now stays in the box. */
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
    const composing = event.isComposing || event.keyCode === 229 // Enter then ends a Hangul syllable; Safari tells only the code
    if (event.key !== 'Enter' || event.shiftKey || composing) return
    event.preventDefault()
    $('ask').requestSubmit()
  })
  $('stop').addEventListener('click', onStop)
  for (const id of ['mode', 'retriever', 'results']) {
    $(id).value = recall(id) ?? $(id).value
    $(id).addEventListener('change', () => remember(id, $(id).value))
  }
  for (const id of ['mode', 'retriever']) if (!$(id).value) $(id).selectedIndex = 0 // a name that an older version remembered
  $('mode').addEventListener('change', showOptions)
  showOptions()
}

const searches = () => $('mode').value !== 'gpt'

function showOptions() {
  for (const id of ['retriever', 'results']) $(id).closest('label').hidden = !searches()
}

export const canSearch = () => !searches() || $('results').reportValidity()

/** The part of POST /ask/stream's body that the options decide. `debug`: the receipt tells what was left out, and why. */
export const searchOptions = () => ({
  debug: true,
  mode: $('mode').value,
  ...(searches() ? { retriever: $('retriever').value, num_result_doc: Number($('results').value) } : {}),
})

/** Puts a question into the box, to be changed. */
export function writeQuestion(text) {
  question.value = text
  fit()
  question.focus()
}

/** From now on the documents answer, this question first. */
export const askDocuments = text => questionButton('ask_documents', event => {
  $('mode').value = 'rag'
  $('mode').dispatchEvent(new Event('change'))
  wantQuestion(event.target, text)
})

export function showRunning(on) {
  const hadFocus = [$('send'), $('stop')].includes(document.activeElement)
  $('send').hidden = on
  $('stop').hidden = !on
  if (hadFocus) question.focus() // a hidden button would lose it
}

export const focusQuestion = () => question.focus({ preventScroll: true })

function fit() {
  question.style.height = 'auto'
  question.style.height = `${question.scrollHeight}px`
}

// Suggested questions. A click dispatches `ask`, whose `detail` is the question and what else the request contains.

import { el, say } from './dom.js'

export const wantQuestion = (node, text, fields = {}) => node.dispatchEvent(new CustomEvent('ask', { bubbles: true, detail: { text, fields } }))

/** A button labelled `key` that calls `onclick`. */
export const questionButton = (key, onclick) => say(el('button', { type: 'button', class: 'quiet again-question', onclick }), key)

/** A list item per question. */
export function suggest(questions) {
  return questions.map(text => el('li', {}, el('button', { type: 'button', onclick: event => wantQuestion(event.currentTarget, text) }, text)))
}

// Questions to be asked by a click. Who shows them listens for `ask`, whose `detail` is the question.

import { el } from './dom.js'

export const wantQuestion = (node, text) => node.dispatchEvent(new CustomEvent('ask', { bubbles: true, detail: text }))

/** A list item per question. */
export function suggest(questions) {
  return questions.map(text => el('li', {}, el('button', { type: 'button', onclick: event => wantQuestion(event.currentTarget, text) }, text)))
}

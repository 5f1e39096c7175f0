// Turns as Markdown: answers, and sources as footnotes with title, page and quote.

import { placeOf } from './document_facts.js'
import { t } from './i18n.js'
import { placeMarkers } from './markers.js'

/** An answer, without its question. */
export const answerMarkdown = turn => `${join(answerAndNotes(turn, 0))}\n`

/** Questions and answers with consecutively numbered footnotes. */
export function conversationMarkdown(turns) {
  let count = 0
  const parts = turns.map(turn => {
    const text = join([`## ${oneLine(turn.question)}`, ...answerAndNotes(turn, count)])
    count += turn.citations.length
    return text
  })
  return `${join(parts)}\n`
}

/** A file name made from these words. */
export function fileName(words) {
  const plain = oneLine(words).replace(/[\\/:*?"<>|\p{Cc}.]+/gu, ' ').trim().slice(0, 60).trim()
  return `${plain || 'Footnote'}.md`
}

function answerAndNotes({ answer, citations }, before) {
  const notes = citations.map(({ number, title, page, unit, section, snippet }) => {
    const [key, values] = placeOf({ page, unit, section })
    const place = [title, unit === 'sheet' ? null : section, key && t(key, values)].filter(Boolean).join(', ')
    return `[^${number + before}]: ${oneLine(place)}: “${oneLine(snippet)}”`
  })
  return [placeMarkers(answer, citations, number => `[^${number + before}]`), notes.join('\n')]
}

const join = parts => parts.filter(Boolean).join('\n\n')
const oneLine = text => text.replace(/\s+/g, ' ').trim()

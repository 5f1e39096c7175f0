// The whole list or table that a cited sentence is in, as the document has it now.

import { call } from './api.js'
import { boundsInOrder, contentAddress } from './content_address.js'
import { renderText } from './text_view.js'

const bare = text => text.replace(/\s+/g, '')

/** `which`: index of the sentence in the source's `bounds`. → `view`, with the citation's sentences marked, and `marks`: pairs of a <mark> and
 * its index in `bounds`; null = the sentence is in no list or table now. Throws a Problem where the document cannot be read. */
export async function wholeList(source, which) {
  const { blocks, marks, format, quote } = await call('GET', contentAddress(source, 'blocks', which))
  const words = Array.from(source.content).slice(...source.bounds[which]).join('')
  const { block: cited } = marks.find(({ bound }) => bound === 0) ?? {}
  const kinds = { list: ['list', 'code'], table: ['table'] }[blocks[cited]?.kind]
  if (!kinds || !bare(quote).startsWith(bare(words))) return null
  let [first, end] = [cited, cited + 1]
  if (kinds.length > 1) { // there may be code between the items
    while (kinds.includes(blocks[first - 1]?.kind)) first -= 1
    while (kinds.includes(blocks[end]?.kind)) end += 1
  }
  const shown = blocks.slice(first, end).map(block => ({ ...block, page: null }))
  const view = renderText({ blocks: shown, marks: marks.map(mark => ({ ...mark, block: mark.block - first })), format })
  const order = boundsInOrder(source.bounds, which)
  const places = source.bounds.map(([start, end]) => `${start}-${end}`)
  return { view, marks: [...view.querySelectorAll('mark')].map(mark => [mark, places.indexOf(order[mark.dataset.bound])]) }
}

// Markdown → HTML, which markdown.js sanitizes.

import { BoundedLexer, tokenizer } from './bounds.js'
import { extensions } from './maths.js'
import { Marked, Tokenizer } from './vendor/marked.js'

const escape = text => text.replace(/[&<>"]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c])

/** Ends a bare address: a citation's place, a quotation mark or stop that no address has, a Korean particle. */
const AFTER_ADDRESS = /[\uE000-\uE003“”„«»‹›「」『』【】《》（），。、；：！？…]|(?<=[a-z0-9])[가-힣]|(?<=\/)(?:에서|에|을|를|으?로|와|과|의|은|는|이|가|도)[는도만의]?(?![가-힣])/i
const LONGEST_ADDRESS = 2000

const marked = new Marked({
  gfm: true,
  extensions,
  renderer: {
    html: ({ text }) => escape(text), // HTML in an answer is quoted text and is shown as text
    image: ({ text }) => escape(text),
  },
  tokenizer: {
    ...tokenizer,
    url(source) {
      const [address] = source.slice(0, LONGEST_ADDRESS).match(/^[^\s<]*/)
      const end = address.search(AFTER_ADDRESS)
      return Tokenizer.prototype.url.call(this, end < 0 ? address : address.slice(0, end))
    },
    del: source => (source.startsWith('~~') ? false : undefined), // one ~ is a range (10~20), not a deletion
  },
})

/** Throws where a text cannot be read as Markdown. */
export const htmlOf = text => marked.parser(new BoundedLexer(marked.defaults).lex(text))

/** How many characters of a text that goes on are in blocks that stay as they are: all but the last one. */
export function closedLength(text) {
  const blocks = new BoundedLexer(marked.defaults).blockTokens(text)
  const last = blocks.findLastIndex(({ type }) => type !== 'space')
  return blocks.slice(0, Math.max(0, last)).reduce((length, { raw }) => length + raw.length, 0)
}

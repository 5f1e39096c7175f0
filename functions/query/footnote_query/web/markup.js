// Markdown → HTML, which markdown.js sanitizes.

import { BoundedLexer, tokenizer } from './bounds.js'
import { extensions } from './maths.js'
import { Marked } from './vendor/marked.js'

const escape = text => text.replace(/[&<>"]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c])

const marked = new Marked({
  gfm: true,
  extensions,
  renderer: {
    html: ({ text }) => escape(text), // HTML in an answer is quoted text and is shown as text
    image: ({ text }) => escape(text),
  },
  tokenizer: {
    ...tokenizer,
    del: source => (source.startsWith('~~') ? false : undefined), // one ~ is a range (10~20), not a deletion
  },
})

/** Throws where a text cannot be read as Markdown. */
export const htmlOf = text => marked.parser(new BoundedLexer(marked.defaults).lex(text))

// Bounds of what is read as Markdown. What exceeds them is shown as plain text, because marked reads parts within parts by recursion, and
// some texts in quadratic time.

import { Lexer } from './vendor/marked.js'

const LONGEST = 100_000 // characters of a text
const MOST_LINES = 3000
const DEEPEST = 24 // quotations and lists within each other, and likewise emphasis and links
const WORK = 2_000_000 // for a paragraph: its characters times its signs; for all of them ALL_WORK
const ALL_WORK = 10_000_000
const MOST_CELLS = 20_000 // of a table: short rows are filled up
const LONGEST_DEFINITION = 1000 // of a link, which may be used often
const SIGNS = /[!-/:-@[-`{-~]/g

export class BoundedLexer extends Lexer {
  #depth = 0
  #left = ALL_WORK

  lex(text) {
    return text.length > LONGEST || text.split('\n', MOST_LINES + 1).length > MOST_LINES ? [plainBlock(text)] : super.lex(text)
  }

  blockTokens(text, tokens = [], isClipped = false) {
    if (this.#depth === DEEPEST) tokens.push(plainBlock(text))
    else this.#within(() => super.blockTokens(text, tokens, isClipped))
    return tokens
  }

  inlineTokens(text, tokens = []) {
    const work = text.length * (text.match(SIGNS)?.length ?? 0)
    if (this.#depth === DEEPEST || work > WORK || work > this.#left) tokens.push(...plain(text))
    else {
      this.#left -= work
      this.#within(() => super.inlineTokens(text, tokens))
    }
    return tokens
  }

  #within(read) {
    this.#depth += 1
    try {
      read()
    } finally {
      this.#depth -= 1
    }
  }
}

/** For `marked`: tables and definitions of links that would grow are no such. `false` = as usual. */
export const tokenizer = {
  table(source) {
    const lines = source.split(/\n[ \t]*\n/, 1)[0].split('\n')
    if (lines.length * lines[0].split('|').length > MOST_CELLS) return
    return false
  },
  def(source) {
    if (source.split('\n', 3).join('\n').length > LONGEST_DEFINITION) return
    return false
  },
}

const plain = text => text.split('\n').flatMap((line, at) => [...(at ? [{ type: 'br', raw: '\n' }] : []), { type: 'text', raw: line, text: line, escaped: false }])
const plainBlock = text => ({ type: 'paragraph', raw: text, text, tokens: plain(text) })

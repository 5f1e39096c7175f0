// Formulas in answers: found in Markdown, and typeset by KaTeX, which is loaded when an answer has the first one.
//
// A formula travels through Markdown as <code> between two private-use characters, which no answer can contain.

import { loadStyle } from './style_sheet.js'

export const FORMULA = '\uE002'
const END = '\uE003'
const DISPLAY = [/^\$\$([^$\uE000\uE001]{1,2000}?)\$\$/, /^\\\[([^\uE000\uE001]{1,2000}?)\\\]/]
const INLINE = [/^\\\(([^\uE000\uE001\n]{1,2000}?)\\\)/]
/** As in Pandoc: no space inside the dollars, no digit after them; and something that prices lack. */
const DOLLARS = /^\$(?![\s$])([^$\n\uE000\uE001]{0,2000}[^\s$\\\uE000\uE001])\$(?!\d)/
const SIGNS = /[\\^_=<>]|^[A-Za-z]$/
const DELIMITERS = /^(?:\$\$?|\\[([])|(?:\$\$?|\\[)\]])$/g
const OPTIONS = { throwOnError: true, strict: 'ignore', trust: false, maxSize: 20, maxExpand: 200 }
const MOST = 300 // formulas of an answer that are typeset
const DEEPEST = 20 // braces within each other: each becomes several elements
const VENDOR = new URL('./vendor/katex', import.meta.url).href

const escape = text => text.replace(/[&<>]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c])

function find(source, patterns) {
  for (const pattern of patterns) {
    const found = pattern.exec(source)
    if (found && (pattern !== DOLLARS || SIGNS.test(found[1]))) return found
  }
  return null
}

function extension(name, level, patterns, isDisplay) {
  return {
    name,
    level,
    start: source => source.search(/\$|\\[([]/),
    tokenizer(source) {
      const found = find(source, patterns)
      if (found) return { type: name, raw: found[0] }
    },
    renderer: ({ raw }) => `<code>${FORMULA}${isDisplay ? 'd' : 'i'}${escape(raw)}${END}</code>`,
  }
}

/** For `marked`. */
export const extensions = [
  { ...extension('formulas', 'block', DISPLAY, true), start: source => source.search(/\n(?=\$\$|\\\[)/) },
  extension('display', 'inline', DISPLAY, true),
  extension('formula', 'inline', [...INLINE, DOLLARS], false),
]

/** Replaces the formulas in rendered Markdown by what was written, which stays where KaTeX cannot be loaded or read them. */
export function placeFormulas(fragment) {
  for (const code of fragment.querySelectorAll('code')) {
    const text = code.textContent
    if (!text.startsWith(FORMULA)) continue
    const formula = document.createElement('span')
    formula.className = text[1] === 'd' ? 'formula display' : 'formula'
    formula.textContent = text.slice(2, -1)
    code.replaceWith(formula)
  }
}

/** Typesets the formulas in `root`. */
export async function typeset(root) {
  const formulas = [...root.querySelectorAll('.formula')].filter(({ textContent }) => depthOf(textContent) <= DEEPEST).slice(0, MOST)
  if (formulas.length === 0) return
  const katex = await loadKatex().catch(() => null)
  for (const formula of katex ? formulas : []) {
    const typeset = document.createElement('span')
    try {
      katex.render(formula.textContent.replace(DELIMITERS, '').trim(), typeset, { ...OPTIONS, displayMode: formula.classList.contains('display') })
    } catch {
      continue // not TeX after all
    }
    if (formula.classList.contains('display')) formula.tabIndex = 0 // a wide one also scrolls by keyboard
    formula.replaceChildren(...typeset.childNodes)
  }
}

/** How deep its braces and environments are within each other. */
function depthOf(formula) {
  let depth = 0
  let deepest = 0
  for (const [sign] of formula.matchAll(/[{}]|\\(?:left|begin|right|end)\b/g)) {
    depth += sign === '{' || /left|begin/.test(sign) ? 1 : -1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

let loading = null

function loadKatex() {
  loading ??= load().catch(error => {
    loading = null // try again with the next answer
    throw error
  })
  return loading
}

/** The style is in place before anything is typeset, else formulas would be shown twice: once as MathML. */
async function load() {
  await Promise.all([loadStyle(`${VENDOR}/katex.min.css`), import(`${VENDOR}/katex.min.js`)])
  return globalThis.katex // it is no module
}

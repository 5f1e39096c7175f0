// The page's texts in three languages; elements with data-i18n… are updated when the language changes.

import de from './i18n/de.js'
import dePage from './i18n/de.page.js'
import deVoices from './i18n/de.voices.js'
import enBackends from './i18n/en.backends.js'
import en from './i18n/en.js'
import enPage from './i18n/en.page.js'
import enVoices from './i18n/en.voices.js'
import ko from './i18n/ko.js'
import koPage from './i18n/ko.page.js'
import koVoices from './i18n/ko.voices.js'
import { recall, remember } from './memory.js'
import { translator } from './sentences.js'

const WORDS = { en: { ...en, ...enPage, ...enVoices }, de: { ...de, ...dePage, ...deVoices }, ko: { ...ko, ...koPage, ...koVoices } }
let language = [recall('language'), ...navigator.languages.map(tag => tag.slice(0, 2).toLowerCase())].find(tag => tag in WORDS) ?? 'en'

const CATALOGUES = ['reasons', 'sources', 'backends'] // of what the server says in English
const SAID = ['reason', 'detail'] // values of texts that the server says
const loading = {} // language → its catalogues are being loaded or are there
const translators = { en: translator(enBackends, number) }

/** Adds the texts of a view: `{en, de, ko}`. */
export function addWords(words) {
  for (const [tag, added] of Object.entries(words)) Object.assign(WORDS[tag], added)
}

export const currentLanguage = () => language

/** The text of `key` with {names} filled in. The plural form is selected by `values.n`. */
export function t(key, values = {}) {
  let text = WORDS[language][key] ?? WORDS.en[key] ?? key
  if (typeof text === 'object') text = text[new Intl.PluralRules(language).select(values.n)] ?? text.other
  return text.replace(/\{(\w+)\}/g, (whole, name) => shown(name, values[name]) ?? whole)
}

function shown(name, value) {
  if (typeof value === 'number') return number(value)
  return SAID.includes(name) && value ? translated(value) : value
}

/** What the server says in English, in the page's language and words. It stays as it is where there is no translation, and until the
    catalogues are there: then the page is translated again. */
export function translated(text) {
  if (translators[language]) return translators[language](text)
  loadTranslations()
  return text
}

/** Resolves when `translated` knows the page's language, or its catalogues cannot be loaded. */
export function loadTranslations() {
  const tag = language
  if (!(tag in translators)) loading[tag] ??= loadCatalogues(tag).catch(() => delete loading[tag]) // the next text tries again
  return loading[tag]
}

async function loadCatalogues(tag) {
  const parts = await Promise.all(CATALOGUES.map(name => import(`./i18n/${tag}.${name}.js`)))
  translators[tag] = translator(Object.assign({}, ...parts.map(part => part.default)), number)
  translatePage()
}

export const knows = key => key in WORDS.en

export function number(value, digits = 0) {
  return new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value)
}

const UNITS = [['year', 31_536_000], ['month', 2_592_000], ['day', 86_400], ['hour', 3600], ['minute', 60]]

/** `seconds` (since 1970) as "5 minutes ago", "yesterday", … */
export function ago(seconds) {
  const passed = Math.max(0, Date.now() / 1000 - seconds)
  const [unit, length] = UNITS.find(([, length]) => passed >= length) ?? ['second', Infinity]
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-Math.floor(passed / length), unit)
}

export function setLanguage(tag) {
  language = tag
  remember('language', tag)
  translatePage()
}

export function translatePage(root = document) {
  document.documentElement.lang = language
  const values = node => JSON.parse(node.dataset.values ?? '{}')
  const show = (node, text) => node.textContent !== text && (node.textContent = text) // else screen readers say it again
  for (const node of root.querySelectorAll('[data-i18n]')) show(node, t(node.dataset.i18n, values(node)))
  for (const node of root.querySelectorAll('[data-said]')) show(node, translated(node.dataset.said))
  for (const node of root.querySelectorAll('[data-i18n-placeholder]')) node.placeholder = t(node.dataset.i18nPlaceholder)
  showTimes(root)
  for (const node of root.querySelectorAll('[data-i18n-label]')) {
    const text = t(node.dataset.i18nLabel, values(node))
    node.setAttribute('aria-label', text)
    if (node.matches('button:not(.cite)')) node.title = text
  }
}

/** Brings “5 minutes ago” up to date. */
export function showTimes(root = document) {
  for (const node of root.querySelectorAll('[data-ago]')) node.textContent = ago(Number(node.dataset.ago))
}

// Loads modules of the page in Node: those that work on texts and numbers. What draws is tested in Chromium, in `tests/browser`.

import { register } from 'node:module'

register('./modules.mjs', import.meta.url)

/** A page without elements, for modules that look for some when the language changes. */
globalThis.document ??= { documentElement: {}, getElementById: () => null, querySelectorAll: () => [] }
globalThis.navigator ??= { languages: ['en'] } // Node has one since version 21

/** `load('csv.js')` → the module. */
export const load = name => import(new URL(`../../functions/query/footnote_query/web/${name}`, import.meta.url))

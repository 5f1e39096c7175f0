// A document's state and facts on one line, and the reason and remedy if it failed.

import { el, joined, say, sayTranslated } from './dom.js'
import { number } from './i18n.js'
import { readers } from './readers.js'
import { SHEETS, SLIDES } from './text_view.js'

const partsOf = format => (SLIDES.includes(format) ? 'slides' : SHEETS.includes(format) ? 'sheets' : 'pages')

/** e.g. Ready · for everyone · added by anna · PDF · 3 pages · 12 passages */
export function factsOf({ state, format, pages, chunks, owner, permission_groups: groups }) {
  const facts = [say(el('span', { class: 'state' }), `state_${state}`), groups && readersOf({ permission_groups: groups }), groups && ownerOf({ owner, groups })].filter(Boolean)
  if (state !== 'READY') return facts
  if (format) facts.push(el('span', {}, format.toUpperCase()))
  if (pages) facts.push(say(el('span'), partsOf(format), { n: pages }))
  if (chunks) facts.push(say(el('span'), 'passages', { n: chunks }))
  return facts
}

/** Fills `node` with reason and remedy; hides it if there are none. */
export function explain(node, { reason, remedy }) {
  const said = [reason, remedy].filter(Boolean)
  node.hidden = said.length === 0
  node.replaceChildren(...joined(said.map(text => sayTranslated(el('span'), text)), ' '))
}

/** The headings above a passage, without the title, and without those that the next one repeats, as the files within a file do. */
export function pathOf({ title, headings, section }) {
  const path = (headings?.length ? headings : [section]).filter(heading => heading && heading !== title)
  return path.filter((heading, at) => !path[at + 1]?.startsWith(`${heading} › `)).join(' › ')
}

/** A passage's position in its document, as text key and values; key null = unknown. */
export function placeOf({ page, unit, section }) {
  if (page == null) return [null, {}]
  if (unit === 'sheet' && section) return ['sheet_named', { name: section }]
  return [{ sheet: 'source_sheet', slide: 'source_slide' }[unit] ?? 'page_short', { page: String(page) }]
}

/** A span that says who can read the document; null in single-user mode. */
function readersOf({ permission_groups: groups }) {
  const { own } = readers()
  if (own === null && groups.includes('*')) return null
  const names = groups.filter(group => !group.startsWith('role:')).map(group => group.replace(/^user:/, '')).join(', ')
  const key = groups.includes('*') ? 'read_by_everyone' : groups.length === 1 && groups[0] === own ? 'read_by_me' : names ? 'read_by' : 'read_by_admins'
  return say(el('span', { class: 'readers' }), key, { names })
}

/** A span that says who added the document; null if nobody in particular did, or if only they can read it. */
function ownerOf({ owner, groups }) {
  const { own } = readers()
  if (own === null || !owner || (groups.length === 1 && groups[0] === own)) return null
  return say(el('span', { class: 'owner' }), `user:${owner}` === own ? 'added_by_me' : 'added_by', { name: owner })
}

export function saySize(node, bytes) {
  if (bytes < 1024 * 1024) return say(node, 'size_kb', { size: number(Math.ceil(bytes / 1024)) })
  return say(node, 'size_mb', { size: number(bytes / 1024 / 1024, 1) })
}

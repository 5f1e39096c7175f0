// A table of the administration. Its rows can be thousands: only some are drawn, and what they are sorted by is computed as they come.

import { el } from '../dom.js'
import { t } from '../i18n.js'
import { button, emptyNote, newId } from './parts.js'

const ASCII = /^[\x20-\x7e]*$/
const PAGE = 25 // rows that are drawn at first, and added by “Show more”

/**
 * A table; on a narrow screen its rows are cards. `columns`: {name: text key, of: row → text or node, by: row → what it is sorted by}; the
 * first one names the row. `empty`: text key for no rows. `choose(rows)`: rows can be chosen, and this hears which are; `keyOf` tells
 * them apart. → {element, set(rows), extend(rows)}
 */
export function table(caption, columns, rows, { empty, choose = null, keyOf = row => row } = {}) {
  const chosen = new Map()
  const keys = new Map(columns.filter(({ by }) => by).map(column => [column, new WeakMap()])) // column → row → what it is sorted by
  const body = el('tbody', { role: 'rowgroup' })
  const more = button('more', draw, 'quiet')
  const box = el('div', { class: 'rows' })
  let sorted = rows
  let order = null // [column, direction]
  let shown = 0

  const head = columns.map(column => el('th', { role: 'columnheader', scope: 'col' }, column.by
    ? el('button', { type: 'button', class: 'sorts', onclick: () => sortBy(column) }, t(column.name)) : t(column.name)))
  const all = choose && el('input', { type: 'checkbox', 'aria-label': t('admin_choose_all'), onchange: chooseAll })
  const node = el('table', { role: 'table', 'aria-label': t(caption) },
    el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, choose && el('th', { role: 'columnheader', class: 'tick' }, all), ...head)), body)

  function sortBy(column) {
    order = [column, order?.[0] === column ? -order[1] : 1]
    head.forEach((each, i) => each.setAttribute('aria-sort', columns[i] !== column ? 'none' : order[1] > 0 ? 'ascending' : 'descending'))
    redraw()
  }

  function redraw() {
    sorted = order ? inOrder(...order) : rows
    shown = 0
    body.replaceChildren()
    draw()
    box.replaceChildren(...(rows.length ? [el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t(caption) }, node), more] : [emptyNote(empty)]))
  }

  function inOrder(column, way) {
    const keyed = rows.map(row => ({ key: sortedBy(column, row), row }))
    return keyed.sort((one, other) => (one.key < other.key ? -way : one.key > other.key ? way : 0)).map(({ row }) => row)
  }

  function sortedBy(column, row) {
    const known = keys.get(column)
    if (!known.has(row)) known.set(row, sortKey(column.by(row)))
    return known.get(row)
  }

  function draw() {
    const next = sorted.slice(shown, shown + PAGE)
    body.append(...next.map(rowOf))
    shown += next.length
    more.hidden = shown >= sorted.length
  }

  function rowOf(row) {
    const [first, ...rest] = columns.map(({ name, of }, i) =>
      el(i ? 'td' : 'th', { role: i ? 'cell' : 'rowheader', ...(i ? { 'data-name': t(name) } : { scope: 'row' }) }, of(row)))
    first.id = newId('row')
    for (const cell of rest) for (const each of cell.querySelectorAll('button')) each.setAttribute('aria-describedby', first.id) // of which row
    return el('tr', { role: 'row' }, choose && el('td', { role: 'cell', class: 'tick' }, tick(row, (first.querySelector('a, b') ?? first).textContent)), first, ...rest)
  }

  // --- chosen rows ---

  function tick(row, name) {
    const input = el('input', { type: 'checkbox', 'aria-label': t('admin_choose', { name }) })
    input.checked = chosen.has(keyOf(row))
    input.addEventListener('change', () => {
      if (input.checked) chosen.set(keyOf(row), row)
      else chosen.delete(keyOf(row))
      tellChosen()
    })
    return input
  }

  function chooseAll() {
    for (const row of rows) {
      if (all.checked) chosen.set(keyOf(row), row)
      else chosen.delete(keyOf(row))
    }
    for (const input of body.querySelectorAll('.tick input')) input.checked = all.checked
    tellChosen()
  }

  function tellChosen() {
    all.checked = rows.length > 0 && chosen.size === rows.length
    choose([...chosen.values()])
  }

  // --- other rows ---

  /** Shows these rows instead. Chosen rows that are not among them are no longer chosen. */
  function set(now) {
    rows = now
    if (choose && chosen.size) {
      const known = new Set(now.map(keyOf))
      for (const key of chosen.keys()) if (!known.has(key)) chosen.delete(key)
    }
    if (choose) tellChosen()
    redraw()
  }

  /** Shows these rows, too. What is drawn is drawn anew only if they are sorted in between. */
  function extend(added) {
    const wasEmpty = rows.length === 0
    rows = [...rows, ...added]
    for (const column of keys.keys()) for (const row of added) sortedBy(column, row)
    if (wasEmpty || order) return redraw()
    sorted = rows
    if (shown < PAGE) draw()
    else more.hidden = shown >= rows.length
  }

  redraw()
  return { element: box, set, extend }
}

/** Texts are sorted without regard to case and accents, the numbers in them by value. */
function sortKey(value) {
  if (typeof value === 'number') return value
  const text = String(value ?? '')
  const plain = ASCII.test(text) ? text : text.normalize('NFKD').replace(/\p{Mn}/gu, '') // most are, and thousands are to be quick
  return plain.toLowerCase().replace(/\d+/g, digits => digits.padStart(12, '0'))
}

// The parts of the statistics page: a figure, a chart with its table, a table, notes.

import { showChart } from './chart.js'
import { el, say } from './dom.js'
import { t } from './i18n.js'

export const tile = (name, value) => el('div', {}, say(el('dt'), name), el('dd', {}, value))
export const emptyNote = key => say(el('p', { class: 'hint' }), key)

/** Why a section could not be loaded, with a button to try again. */
export function failedNote({ status, message }, again) {
  const text = status === 403 ? say(el('span'), 'stats_forbidden') : el('span', {}, message)
  return el('p', { class: 'note', role: 'alert' }, text, ' ', say(el('button', { type: 'button', class: 'quiet', onclick: again }), 'source_again'))
}

/** `series`: `{name, tone, values}`, names are keys of texts. The table beneath has the same values. */
export function chartFigure(title, labels, format, series, { lines = false } = {}) {
  const drawing = el('div', { class: 'drawing' })
  const named = series.map(each => ({ ...each, name: t(each.name) }))
  showChart(drawing, { title: t(title), labels, series: named, lines, format })
  const legend = el('ul', { class: 'legend' }, ...series.map(({ name, tone }) => el('li', {}, el('span', { class: `swatch tone-${tone}` }), say(el('span'), name))))
  const rows = labels.map((label, at) => [label, ...named.map(({ values }) => (values[at] === null ? '–' : format(values[at])))])
  const details = el('details', {}, say(el('summary'), 'stats_as_table'))
  details.addEventListener('toggle', () => details.open && details.children.length === 1 && details.append(scroll(title, grid(t('stats_time'), named.map(({ name }) => name), rows))))
  return el('figure', {}, say(el('figcaption'), title), legend, drawing, details)
}

/** A table; `first` and `columns` are keys of texts, the latter without `stats_`. `more`: [address, number of all rows];
 * `name`: key of what the region is called. */
export function table(first, columns, rows, more = null, name = first) {
  const shown = scroll(name, grid(t(first), columns.map(column => t(`stats_${column}`)), rows))
  if (!more) return shown
  const [href, n] = more
  return el('div', {}, shown, el('p', { class: 'hint' }, say(el('a', { href, download: '' }), 'stats_all_rows', { n })))
}

function grid(first, columns, rows) {
  return el('table', {},
    el('thead', {}, el('tr', {}, ...[first, ...columns].map(name => el('th', { scope: 'col' }, name)))),
    el('tbody', {}, ...rows.map(([name, ...cells]) => el('tr', {}, el('th', { scope: 'row' }, name), ...cells.map(cell => el('td', {}, cell))))))
}

const scroll = (name, inner) => el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t(name) }, inner)

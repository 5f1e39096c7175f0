// Counts over time as bars, with the same as a table for those who do not see them.

import { el, shape } from './dom.js'
import { number, t } from './i18n.js'

const HEIGHT = 120
const WIDTH = 640

/** `rows`: {key, voices, rating} in order; `name`: the text of a key. */
export function plot(rows, name) {
  const most = Math.max(1, ...rows.map(({ voices }) => voices))
  const step = WIDTH / rows.length
  const bars = rows.map(({ key, voices }, i) => {
    const height = (voices / most) * HEIGHT
    const bar = { x: i * step + step * 0.1, y: HEIGHT - height, width: step * 0.8, height }
    return shape('rect', bar, shape('title', {}, `${name(key)}: ${number(voices)}`))
  })
  const picture = shape('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' }, ...bars)
  const ends = [rows[0], ...(rows.length > 1 ? [rows.at(-1)] : [])].map(({ key }) => el('span', {}, name(key)))
  const cells = rows.map(({ key, voices, rating }) =>
    el('tr', {}, el('th', { scope: 'row' }, name(key)), el('td', {}, number(voices)), el('td', {}, rating === null ? '–' : number(rating, 1))))
  const heads = ['voices_column_time', 'voices_column_voices', 'voices_column_rating'].map(key => el('th', { scope: 'col' }, t(key)))
  const table = el('table', {}, el('thead', {}, el('tr', {}, ...heads)), el('tbody', {}, ...cells))
  return el(
    'figure', { class: 'voices-plot' },
    el('p', { class: 'hint' }, t('voices_most', { n: most })), picture, el('figcaption', {}, ...ends),
    el('details', {}, el('summary', {}, t('voices_table')), el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('voices_counts') }, table)),
  )
}

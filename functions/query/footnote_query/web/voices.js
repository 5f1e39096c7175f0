// What customers say: a view of a collection of voices with search, filters, counts over time and themes. It is built when it is first
// opened; its button is there for those who may read voices, and for admins, who also see what users say about the answers.

import { call } from './api.js'
import { $, el, label, say } from './dom.js'
import { currentLanguage, number, t } from './i18n.js'
import { plot } from './voices_plot.js'

const PRODUCT = 'product'
const RATINGS = { any: {}, low: { rating_to: 2 }, middle: { rating_from: 2.5, rating_to: 3.5 }, high: { rating_from: 4 } }
const PAGE = 10
const button = $('show-voices')
const dialog = $('voices')
let parts = null
let asked = 0 // the latest request; replies to earlier ones are dropped
let after = null

/** Shows the button if there is something to see. `collections`: as in GET /collections. */
export function offerVoices(collections, mayManage) {
  const names = collections.filter(({ voices }) => voices).map(({ name }) => name)
  button.hidden = names.length === 0 && !mayManage
  if (button.hidden && dialog.open) dialog.close()
  button.onclick = () => open(names, mayManage)
}

function open(names, mayManage) {
  parts ??= build()
  const chosen = parts.source.value
  const options = names.map(name => el('option', { value: `collection:${name}` }, name))
  if (mayManage) options.push(say(el('option', { value: PRODUCT }), 'voices_product'))
  parts.source.replaceChildren(...options)
  if ([...parts.source.options].some(option => option.value === chosen)) parts.source.value = chosen
  $('account-menu').hidePopover()
  dialog.showModal()
  parts.title.focus()
  load()
}

// --- the view ------------------------------------------------------------------------------------

function build() {
  const named = (key, field) => el('label', {}, say(el('span'), key), field)
  const option = (value, key) => say(el('option', { value }), key)
  const made = {
    title: say(el('h2', { id: 'voices-title', tabindex: -1 }), 'voices'),
    source: el('select', { onchange: fresh }),
    query: el('input', { type: 'search', maxlength: 2000, enterkeyhint: 'search' }),
    channel: el('select'),
    product: el('select'),
    rating: el('select', {}, ...Object.keys(RATINGS).map(key => option(key, `voices_rating_${key}`))),
    from: el('input', { type: 'date', min: '2000-01-01' }),
    to: el('input', { type: 'date', min: '2000-01-01' }),
    by: el('select', { onchange: () => load() }, ...['month', 'week', 'day'].map(key => option(key, `voices_by_${key}`))),
    status: el('p', { class: 'hint', role: 'status' }),
    counts: el('div', { class: 'voices-counts' }),
    themes: el('ul', { class: 'voices-themes' }),
    pending: say(el('p', { class: 'hint', hidden: true }), 'voices_pending'),
    list: el('ul', { class: 'voices-list' }),
    more: say(el('button', { type: 'button', class: 'quiet', hidden: true, onclick: () => loadVoices(asked, true) }), 'more'),
  }
  const close = label(el('button', { type: 'button', class: 'quiet icon cross', onclick: () => dialog.close() }), 'close')
  const form = el(
    'form', { class: 'view-form', onsubmit: submit },
    named('voices_source', made.source), named('voices_query', made.query), named('voices_channel', made.channel),
    named('voices_product_of', made.product), named('voices_rating', made.rating), named('voices_from', made.from),
    named('voices_to', made.to), say(el('button', { class: 'primary' }), 'voices_search'),
  )
  const section = (key, ...content) => el('section', {}, say(el('h3'), key), ...content)
  made.results = el(
    'div', { class: 'voices-results' },
    section('voices_counts', named('voices_by', made.by), made.counts), section('voices_themes', made.themes),
    section('voices_found', made.pending, made.list, made.more),
  )
  dialog.setAttribute('aria-labelledby', 'voices-title')
  dialog.append(el('header', {}, made.title, close), form, made.status, made.results)
  dialog.addEventListener('click', event => event.target === dialog && dialog.close())
  dialog.addEventListener('close', () => $('account').focus()) // its menu is closed
  return made
}

function submit(event) {
  event.preventDefault()
  load()
}

/** Another collection has other channels and products. */
function fresh() {
  parts.channel.value = parts.product.value = ''
  load()
}

function filters() {
  const [source, collection] = parts.source.value === PRODUCT ? [PRODUCT, ''] : ['collection', parts.source.value.slice('collection:'.length)]
  const wanted = { source, collection, ...RATINGS[parts.rating.value] }
  for (const name of ['from', 'to']) if (parts[name].value) wanted[name] = parts[name].value
  for (const name of ['channel', 'product']) if (parts[name].value) wanted[name] = parts[name].value
  return wanted
}

// --- loading -------------------------------------------------------------------------------------

async function load() {
  const mine = (asked += 1)
  const { results, status } = parts
  results.setAttribute('aria-busy', 'true')
  say(status, 'voices_loading')
  const wanted = filters()
  const { source, collection } = wanted
  const get = (path, more) => call('GET', `/voc/${path}?${new URLSearchParams({ ...wanted, ...more })}`)
  const all = by => call('GET', `/voc/counts?${new URLSearchParams({ source, collection, by })}`)
  try {
    const [counts, channels, products] = await Promise.all([get('counts', { by: parts.by.value }), all('channel'), all('product')])
    if (mine !== asked) return
    fill(parts.channel, channels.data, wanted.channel)
    fill(parts.product, products.data, wanted.product)
    showCounts(counts)
    const [themes] = await Promise.all([get('themes'), loadVoices(mine, false)])
    if (mine !== asked) return
    parts.themes.replaceChildren(...themes.data.map(themeCard))
    if (themes.data.length === 0) parts.themes.append(say(el('li', { class: 'hint' }), 'voices_no_themes'))
    const key = counts.voices === 0 ? 'voices_none' : counts.cut ? 'voices_cut' : 'voices_count'
    say(status, key, { n: counts.voices })
  } catch (problem) {
    if (mine !== asked) return
    for (const place of [parts.counts, parts.themes, parts.list]) place.replaceChildren()
    parts.more.hidden = parts.pending.hidden = true
    if (problem.status === 403) say(status, 'voices_forbidden')
    else say(status, 'voices_failed', { detail: problem.message })
  } finally {
    if (mine === asked) results.removeAttribute('aria-busy')
  }
}

async function loadVoices(mine, isMore) {
  const { channel, product, ...wanted } = filters()
  const lists = { channel: channel ? [channel] : [], product: product ? [product] : [] }
  const query = parts.query.value.trim()
  const page = await call('POST', '/voc/search', { ...wanted, ...lists, query, limit: PAGE, after: isMore ? after : null })
  if (mine !== asked) return
  after = page.last_id
  const rows = page.data.map(voice => el('li', {}, ...voiceParts(voice)))
  if (isMore) parts.list.append(...rows)
  else parts.list.replaceChildren(...rows)
  if (!parts.list.children.length) parts.list.append(say(el('li', { class: 'hint' }), 'voices_none'))
  parts.more.hidden = !page.has_more
  parts.pending.hidden = !page.vectors_pending
}

/** The values of a field as options, the most frequent first. */
function fill(select, rows, chosen = '') {
  const known = rows.filter(({ key }) => key !== null)
  select.replaceChildren(say(el('option', { value: '' }), 'voices_any'), ...known.map(({ key }) => el('option', { value: key }, key)))
  select.value = known.some(({ key }) => key === chosen) ? chosen : ''
  select.disabled = known.length === 0
}

// --- what was found ------------------------------------------------------------------------------

const day = text => new Intl.DateTimeFormat(currentLanguage(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(text))
const rated = rating => t('voices_rated', { rating: number(rating, 1) })

function showCounts({ data }) {
  const dated = data.filter(({ key }) => key !== null)
  const undated = data.find(({ key }) => key === null)
  parts.counts.replaceChildren(...(dated.length ? [plot(dated, day)] : []))
  if (undated) parts.counts.append(say(el('p', { class: 'hint' }), 'voices_undated', { n: undated.voices }))
}

function themeCard({ label: name, voices, rating, now, before, examples }) {
  const facts = [t('voices_size', { n: voices }), ...(rating === null ? [] : [rated(rating)])]
  const trend = before === null ? null : el('p', { class: 'voices-trend' }, trendOf(now, before))
  const quotes = examples.map(voice => el('li', {}, ...voiceParts(voice)))
  const search = say(el('button', { type: 'button', class: 'quiet', onclick: () => searchFor(name) }), 'voices_search_theme')
  return el('li', { class: 'voices-theme' }, el('h4', {}, name), el('p', {}, facts.join(' · ')), trend, el('ul', {}, ...quotes), search)
}

function trendOf(now, before) {
  const key = now > before ? 'voices_more' : now < before ? 'voices_fewer' : 'voices_same'
  return t(key, { now, before })
}

function searchFor(words) {
  parts.query.value = words.replaceAll(' · ', ' ')
  load()
  parts.query.focus()
}

function voiceParts({ text, date, channel, product, rating, customer, title, number: row }) {
  const place = row === null ? null : t('voices_place', { title, n: row })
  const known = [date && day(date), rating !== null && rated(rating), channel, product, customer, place].filter(Boolean)
  return [el('blockquote', {}, text), el('p', { class: 'hint' }, known.join(' · '))]
}

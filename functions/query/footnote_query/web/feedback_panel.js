// What people said of the answers, and the golden cases made of it: two tabs with filters. For a dialog or a page.

import { call } from './api.js'
import { drawn, el, say } from './dom.js'
import { REASONS } from './feedback_form.js'
import { feedbackRow } from './feedback_rows.js'
import { loadCases } from './golden_cases.js'
import { caseRow, readCases } from './golden_list.js'

const PAGE = 20
const TABS = ['feedback_tab', 'golden_tab']
const card = ({ question }, note) => el('li', { class: 'card' }, el('h3', {}, question), note)

/** `title`: the id of its heading; `rating`: what is shown at first, '' = all; `leave()`: a link leads to the page beneath. → {tabs, panel, open(names)}; `names`: of collections. */
export function feedbackPanel({ title, rating = '', leave = () => {} }) {
  let rows = [] // the shown ratings
  let asked = 0 // the latest request; replies to earlier ones are dropped
  let after = null
  let tab = 0
  const parts = build()

  function open(names) {
    const any = say(el('option', { value: '' }), 'feedback_any')
    const { value } = parts.collection
    parts.collection.replaceChildren(any, ...names.map(name => el('option', { value: name }, name)))
    parts.collection.value = names.includes(value) ? value : ''
    empty()
    return load()
  }

  // --- the view ------------------------------------------------------------------------------------

  function build() {
    const named = (key, field) => el('label', {}, say(el('span'), key), field)
    const select = (...options) => el('select', { onchange: () => load() }, say(el('option', { value: '' }), 'feedback_any'), ...options)
    const option = (value, key) => say(el('option', { value }), key)
    const date = () => el('input', { type: 'date', min: '2000-01-01', onchange: () => load() })
    const tabOf = (key, i) => say(el('button', { type: 'button', role: 'tab', id: key, 'aria-controls': 'feedback-panel', onclick: () => choose(i) }), key)
    const made = {
      tabs: TABS.map(tabOf),
      rating: select(option('up', 'up'), option('down', 'down')),
      reason: select(...REASONS.map(code => option(code, `reason_${code}`))),
      collection: select(),
      from: date(),
      to: date(),
      status: el('p', { class: 'hint', role: 'status' }),
      again: say(el('button', { type: 'button', class: 'second', hidden: true, onclick: () => load() }), 'feedback_again'),
      check: el('p', { class: 'hint', hidden: true }, say(el('span'), 'golden_check'), ' ', el('code', {}, 'footnote eval --golden')),
      list: el('ul', { class: 'cards' }),
      more: say(el('button', { type: 'button', class: 'quiet', hidden: true, onclick: () => load(true) }), 'more'),
    }
    made.rating.value = rating
    made.ratingsOnly = [named('feedback_rating', made.rating), named('feedback_reason', made.reason), named('feedback_from', made.from), named('feedback_to', made.to)]
    const [ratings, reason, from, to] = made.ratingsOnly
    made.tablist = el('div', { class: 'tabs', role: 'tablist', 'aria-labelledby': title, onkeydown: moveTab }, ...made.tabs)
    made.panel = el(
      'div', { id: 'feedback-panel', role: 'tabpanel' },
      el('div', { class: 'view-form' }, ratings, reason, named('feedback_collection', made.collection), from, to),
      el('div', { class: 'feedback-status' }, made.status, made.again), made.check, made.list, made.more,
    )
    markTab(made)
    return made
  }

  function markTab({ tabs, panel, ratingsOnly }) {
    for (const [i, node] of tabs.entries()) {
      node.setAttribute('aria-selected', i === tab)
      node.tabIndex = i === tab ? 0 : -1
    }
    panel.setAttribute('aria-labelledby', TABS[tab])
    for (const field of ratingsOnly) field.hidden = tab !== 0
  }

  function choose(wanted) {
    if (wanted === tab) return
    tab = wanted
    markTab(parts)
    load()
  }

  function moveTab(event) {
    const step = { ArrowLeft: 1, ArrowRight: 1, Home: -tab, End: 1 - tab }[event.key] // there are two
    if (step === undefined) return
    event.preventDefault()
    choose((tab + step) % TABS.length)
    parts.tabs[tab].focus()
  }

  // --- loading -------------------------------------------------------------------------------------

  /** Fills the list anew, or with `isMore` adds its next page. */
  async function load(isMore = false) {
    const mine = (asked += 1)
    const { panel, status, again, more } = parts
    const fill = tab === 0 ? fillRatings : fillCases
    panel.setAttribute('aria-busy', 'true')
    again.hidden = true
    if (!isMore) say(status, 'feedback_loading')
    try {
      await fill(isMore, () => mine !== asked)
    } catch (problem) {
      if (mine !== asked) return
      if (!isMore) empty()
      if (problem.status === 403) say(status, 'feedback_forbidden')
      else say(status, 'feedback_failed', { detail: problem.message })
      again.hidden = isMore || problem.status === 403 // “Show more” is still there
    } finally {
      if (mine === asked) panel.removeAttribute('aria-busy')
    }
    if (isMore && mine === asked && more.hidden && document.activeElement === document.body) parts.list.lastElementChild?.querySelector('a, button, summary')?.focus()
  }

  function empty() {
    rows = []
    parts.list.replaceChildren()
    parts.more.hidden = parts.check.hidden = true
  }

  async function fillRatings(isMore, isLate) {
    const filters = ['rating', 'reason', 'from', 'to'].map(name => [name, parts[name].value])
    const wanted = [['limit', PAGE], ...filters, ['index_name', parts.collection.value], ['after', isMore ? after : null]]
    const page = call('GET', `/feedback?${new URLSearchParams(wanted.filter(([, value]) => value))}`)
    const [found] = await Promise.all([page, isMore ? null : loadCases()])
    if (isLate()) return
    if (!isMore) empty()
    after = found.last_id
    const added = found.data.map(row => drawn(() => feedbackRow(row, () => rows.forEach(each => each.show()), leave), row.answer, note => ({ element: card(row, note), show() {} })))
    rows.push(...added)
    parts.list.append(...added.map(({ element }) => element))
    parts.more.hidden = !found.has_more
    say(parts.status, rows.length === 0 ? 'feedback_none' : found.has_more ? 'feedback_newest' : 'feedback_count', { n: rows.length })
  }

  async function fillCases(isMore, isLate) {
    const page = await readCases(parts.collection.value, isMore ? after : null)
    if (isLate()) return
    if (!isMore) empty()
    after = page.last_id
    parts.list.append(...page.data.map(found => drawn(() => caseRow(found, dropCase), found.answer, note => card(found, note))))
    parts.more.hidden = !page.has_more
    countCases()
  }

  function dropCase(row) {
    const next = row.nextElementSibling ?? row.previousElementSibling
    row.remove()
    countCases()
    ;(next?.querySelector('.bin') ?? parts.tabs[tab]).focus() // the button is gone
  }

  function countCases() {
    const n = parts.list.children.length
    parts.check.hidden = n === 0
    say(parts.status, n === 0 ? 'golden_none' : parts.more.hidden ? 'golden_count' : 'golden_first', { n })
  }

  return { tabs: parts.tablist, panel: parts.panel, open }
}

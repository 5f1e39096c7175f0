// The page of a shared conversation, `/shared#<token>`: questions and answers to read. The server checks all sources for the reader.

import { call } from './api.js'
import { placeOf } from './document_facts.js'
import { $, drawn, el, label, say } from './dom.js'
import { addWords, currentLanguage, setLanguage, t, translatePage } from './i18n.js'
import de from './i18n/de.shared.js'
import en from './i18n/en.shared.js'
import ko from './i18n/ko.shared.js'
import { renderAnswer, styleHeadings } from './markdown.js'
import './sign_in.js'

addWords({ en, de, ko })
let after = null // the last turn that is shown, where others follow
let dates = null // in seconds

const token = () => decodeURIComponent(location.hash.slice(1))

/** The document at the cited sentence, on the page that asks. `which`: index of the sentence in `bounds`. */
function addressOf({ doc_id, chunk_id, page, bounds }, which = 0) {
  const sentence = bounds?.[which]?.join('-')
  return `./?${new URLSearchParams({ doc_id, chunk_id, ...(sentence && { bounds: sentence }) })}${page == null ? '' : `#page=${page}`}`
}

const day = seconds => new Intl.DateTimeFormat(currentLanguage(), { dateStyle: 'long' }).format(new Date(seconds * 1000))

/** When it was asked and shared, and until when it can be read. */
function showDates() {
  if (!dates) return
  const { asked, created, expires } = dates
  say($('dates'), expires === null ? 'shared_dates' : 'shared_dates_until', { asked: day(asked), shared: day(created), until: expires && day(expires) })
}

function turnOf(turn) {
  const heading = el('h3', { class: 'question' }, turn.question)
  if (turn.withheld === 'all') return el('article', { class: 'turn' }, heading, say(el('p', { class: 'note' }), 'shared_withheld'))
  const cited = number => turn.citations.find(citation => citation.number === number)
  const body = el('div', { class: 'answer' }, renderAnswer(turn.answer, turn.citations, (number, which) => el('sup', {}, marker(cited(number), which))))
  if (turn.extractive) styleHeadings(body)
  const note = turn.withheld === 'part' ? say(el('p', { class: 'note' }), 'shared_part') : null
  return el('article', { class: 'turn' }, heading, note, body, sources(turn.citations))
}

const drawnTurn = turn => drawn(() => turnOf(turn), turn.answer, note => el('article', { class: 'turn' }, el('h3', { class: 'question' }, turn.question), note))

function marker(citation, which) {
  const link = el('a', { class: 'cite', href: addressOf(citation, which) }, String(citation.number))
  return label(link, 'citation', { number: String(citation.number), title: citation.title })
}

function sources(citations) {
  if (citations.length === 0) return null
  return el('ol', { class: 'shared-sources' }, ...citations.map(sourceOf))
}

function sourceOf(citation) {
  const [key, values] = placeOf(citation)
  const place = key ? say(el('span', { class: 'page' }), key, values) : null
  const link = el('a', { href: addressOf(citation) }, el('b', {}, `${citation.number} ${citation.title}`), ' ', place)
  return el('li', {}, link, el('blockquote', {}, citation.snippet))
}

async function show() {
  $('thread').setAttribute('aria-busy', 'true')
  let page
  try {
    page = await call('POST', `/shares/open?${new URLSearchParams({ limit: 50, ...(after ? { after } : {}) })}`, { token: token() })
  } catch (problem) {
    const gone = [404, 422].includes(problem.status)
    $('thread').append(gone ? say(el('p', { class: 'note' }), 'shared_gone') : el('p', { class: 'note failed' }, problem.message))
  }
  if (page) {
    dates ??= page.data.length > 0 ? { asked: page.data[0].created_at, created: page.created_at, expires: page.expires_at } : null
    showDates()
    after = page.has_more ? page.last_id : null
    $('thread').append(...page.data.map(drawnTurn))
    say($('about'), 'shared_about')
    document.title = `${$('thread').querySelector('.question')?.textContent ?? t('shared')} – Footnote`
  }
  $('more').hidden = !page?.has_more
  $('thread').setAttribute('aria-busy', 'false')
}

function showAll() {
  after = null
  $('thread').replaceChildren()
  dates = null
  for (const id of ['about', 'dates']) {
    $(id).textContent = ''
    delete $(id).dataset.i18n
  }
  return show()
}

$('more').addEventListener('click', show)
addEventListener('hashchange', showAll)
document.querySelector('.skip').addEventListener('click', event => {
  event.preventDefault() // the address holds the token
  $('thread').focus()
})
$('language').value = currentLanguage()
$('language').addEventListener('change', () => {
  setLanguage($('language').value)
  showDates()
})
translatePage()
await showAll()
document.documentElement.dataset.ready = 'true'

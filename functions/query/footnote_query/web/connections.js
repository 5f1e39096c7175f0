// What the cited passages of an answer say of people, organisations and things: a button among the answer's actions that opens it below.
// It is there where the collection has built a graph and the passages have connections, which is asked once the actions come into view.

import { callOnce } from './api.js'
import { el, say } from './dom.js'
import { loadStyle } from './style_sheet.js'

const MOST = 20 // passages that the server takes
const SOON = 300 // pixels from coming into view
const collectionOf = new Map() // document → its collection, as promised
let graphs = new Map() // collection → whether it has a graph
let tell
const known = new Promise(resolve => (tell = resolve))
let loaded = null

/** `collections`: as in GET /collections. */
export function offerConnections(collections) {
  graphs = new Map(collections.map(({ name, graph }) => [name, graph]))
  tell()
}

/** Adds the button to `footer`, an answer's actions. `sources`: its citations with their passages. → what is to stand below them. */
export function connectionsOf(footer, sources) {
  if (sources.length === 0) return []
  const place = el('div', { class: 'connections-place', hidden: true })
  const look = { type: 'button', class: 'quiet connections-button', 'aria-expanded': 'false', hidden: true }
  const button = el('button', look, say(el('span'), 'connections'))
  footer.append(button)
  const seen = new IntersectionObserver(async entries => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    seen.disconnect()
    const graph = await read(sources).catch(() => null) // the answer is complete without it
    if (!graph?.relations.length) return
    button.addEventListener('click', () => toggle(button, place, graph, sources))
    button.hidden = false
  }, { rootMargin: `${SOON}px` })
  seen.observe(footer)
  return [place]
}

/** What is known of the passages; null if their collection has no graph. */
async function read(sources) {
  await known
  const name = [...graphs.values()].includes(true) ? await nameOf(sources) : null
  if (!graphs.get(name)) return null
  const ids = [...new Set(sources.map(({ chunk_id: id }) => id))].slice(0, MOST)
  return callOnce('GET', `/collections/${encodeURIComponent(name)}/graph?${new URLSearchParams(ids.map(id => ['passage', id]))}`)
}

/** The collection of the cited documents. Files of the conversation and what other systems found are in none that is listed. */
async function nameOf(sources) {
  for (const id of new Set(sources.map(({ doc_id: id }) => id))) {
    const asked = () => callOnce('GET', `/documents/${encodeURIComponent(id)}`).then(({ collection }) => collection, () => null)
    if (!collectionOf.has(id)) collectionOf.set(id, asked())
    const name = await collectionOf.get(id)
    if (graphs.has(name)) return name
  }
  return null
}

async function toggle(button, place, graph, sources) {
  const opens = place.hidden
  place.hidden = !opens
  button.setAttribute('aria-expanded', String(opens))
  if (!opens) return
  if (!place.firstChild) {
    try {
      loaded ??= Promise.all([import('./connections_view.js'), loadStyle('web/connections.css')])
      const [{ connectionsView }] = await loaded
      place.replaceChildren(connectionsView(graph, sources))
    } catch {
      loaded = null
      place.replaceChildren(say(el('p', { class: 'note failed' }), 'error_unreachable'))
    }
  }
  requestAnimationFrame(() => requestAnimationFrame(() => reveal(button, place))) // by then the picture is drawn
}

/** Scrolls as far as the actions below the question, which stays at the top of the window. */
function reveal(button, place) {
  const above = [place.closest('.turn')?.querySelector('.asked'), button.parentElement].filter(Boolean)
  place.style.scrollMarginTop = `${above.reduce((sum, { offsetHeight }) => sum + offsetHeight, 0)}px`
  place.scrollIntoView()
}

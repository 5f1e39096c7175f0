// The sources of documents with their last runs, for admins.

import { call } from './api.js'
import { $, el, say, sayTranslated, showAgo } from './dom.js'
import { isAdmin } from './readers.js'

const section = $('sources')
const list = $('source-list')

/** Shows the section to admins; what it holds is loaded whenever it is opened. */
export function startSources() {
  section.hidden = !isAdmin()
}

section.addEventListener('toggle', () => section.open && showSources())

async function showSources() {
  const rows = []
  try {
    for (let after = null; ;) {
      const page = await call('GET', `/sources?${new URLSearchParams({ limit: 200, ...(after && { after }) })}`)
      rows.push(...page.data.map(sourceRow))
      if (!page.has_more) break
      after = page.last_id
    }
  } catch (problem) {
    rows.push(el('li', { class: 'note' }, problem.message))
  }
  list.replaceChildren(...rows)
  $('no-sources').hidden = rows.length > 0
}

function sourceRow({ address, collection, last_run: run }) {
  const row = el('li', { 'data-state': run?.state }, el('strong', { class: 'address' }, address),
    el('p', { class: 'facts' }, collection, ...(run ? [' · ', showAgo(el('time'), run.ended_at)] : [])))
  if (!run) return row
  row.append(say(el('p', { class: 'outcome' }), `sources_${run.state}`, { ...run, address }))
  if (run.state !== 'failed') row.append(say(el('p', { class: 'facts' }), 'sources_counts', run))
  if (run.failures.length) row.append(el('details', {}, say(el('summary', { class: 'bad' }), 'sources_failures', { n: run.failed }), failureList(run.failures)))
  return row
}

function failureList(failures) {
  return el('ul', {}, ...failures.map(({ name, reason, remedy }) => el('li', {}, el('strong', {}, name), ' ', sayTranslated(el('span'), `${reason} ${remedy}`.trim()))))
}

// For admins: which parts work, documents by state, waiting jobs, passages without vectors, the language model.

import { call } from './api.js'
import { el, say, sayTranslated } from './dom.js'
import { currentLanguage, number, t } from './i18n.js'
import { failedNote, tile } from './statistics_parts.js'

const FUNCTIONS = ['query', 'ingest']

/** Fills `body`. */
export async function showHealth(body) {
  try {
    const [status, model, ...ready] = await Promise.all([
      call('GET', '/ingest/status'),
      call('GET', `/model?lang=${currentLanguage()}`).catch(() => null),
      ...FUNCTIONS.map(readiness),
    ])
    const parts = Object.assign({}, ...ready)
    const bad = Object.entries(parts).filter(([, state]) => state !== 'ok')
    const { documents, waiting, vectors } = status
    const without = vectors ? vectors.total - vectors.done : 0
    body.replaceChildren(
      el('dl', { class: 'tiles' },
        tile('stats_parts', bad.length ? t('stats_parts_down', { n: bad.length }) : t('stats_parts_ok')),
        tile('stats_model', model?.model ?? t('no_model')),
        tile('stats_ready', number(documents.READY ?? 0)),
        tile('stats_processing', number((documents.RECEIVED ?? 0) + (documents.PROCESSING ?? 0))),
        tile('stats_failed', number(documents.FAILED ?? 0)),
        tile('stats_waiting', number(waiting - without)),
        tile('stats_without_vectors', vectors ? number(without) : '–')),
      ...bad.map(([name, state]) => el('p', { class: 'note' }, el('strong', {}, name), ' ', sayTranslated(el('span'), state))),
      ...(documents.FAILED ? [say(el('p', { class: 'hint' }), 'stats_failed_where')] : []))
  } catch (problem) {
    body.replaceChildren(failedNote(problem, () => showHealth(body)))
  }
}

/** Part → `ok` or what is wrong. A 503 has them, too. */
async function readiness(name) {
  const response = await fetch(`${name}/ready`).catch(() => null)
  const { parts } = (await response?.json().catch(() => null)) ?? { parts: { [name]: t('error_unreachable') } }
  return parts
}

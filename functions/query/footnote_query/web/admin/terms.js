// The forbidden terms: add, remove, and try a question.

import { call, callAll } from '../api.js'
import { el, say } from '../dom.js'
import { number } from '../i18n.js'
import { carefulButton, code, field, form, hint, section, select, tell, when } from './parts.js'
import { table } from './table.js'

const KINDS = [['', 'admin_match_usual'], ['exact', 'admin_match_exact'], ['synonym', 'admin_match_synonym'], ['contextual', 'admin_match_contextual']]
const pathOf = term => `/forbidden-terms/${encodeURIComponent(term)}`

export async function show(_, again) {
  const terms = await callAll('/forbidden-terms', 200)
  const word = el('input', { autocomplete: 'off', maxlength: 100 })
  const topic = el('input', { autocomplete: 'off', maxlength: 100 })
  const kind = select(KINDS)
  const adding = form([el('div', { class: 'filters' }, field('admin_term', word), field('admin_match', kind), field('admin_topic', topic))], 'admin_add', async () => {
    await call('PUT', pathOf(word.value.trim() || ' '), { match_type: kind.value || null, topic: topic.value.trim() || null })
    tell('admin_term_saved', { term: word.value.trim() })
    again()
  })
  const remove = ({ term }) => carefulButton('remove_yes', 'admin_term_question', async () => {
    await call('DELETE', pathOf(term))
    tell('admin_term_removed', { term })
    again()
  }, { term })
  const rows = table('admin_terms', [
    { name: 'admin_term', of: ({ term }) => term, by: ({ term }) => term },
    { name: 'admin_match', of: each => say(el('span'), `admin_match_${each.match_type ?? 'usual'}`), by: each => each.match_type ?? '' },
    { name: 'admin_topic', of: each => each.topic ?? '–', by: each => each.topic ?? '' },
    { name: 'admin_when', of: each => when(each.changed_at), by: each => each.changed_at },
    { name: 'admin_who', of: each => each.changed_by },
    { name: 'admin_action', of: remove },
  ], terms, { empty: 'admin_no_terms' })
  return [hint('admin_terms_text'), section('admin_term_add', adding), section('admin_term_try', trial()), section('admin_terms', rows.element)]
}

/** Which terms a question matches, and whether it would be refused. */
function trial() {
  const question = el('input', { autocomplete: 'off', maxlength: 2000 })
  const place = el('div', { 'aria-live': 'polite' })
  const made = form([field('admin_question', question)], 'admin_try', async () => {
    place.replaceChildren()
    const { enabled, refused, notice, hits } = await call('POST', '/forbidden-terms/try', { query_text: question.value })
    const verdict = !enabled ? 'admin_terms_off' : refused ? 'admin_refused' : hits.length ? 'admin_matched_allowed' : 'admin_no_hits'
    place.replaceChildren(
      say(el('p', { class: refused ? 'note' : '' }), verdict),
      ...(notice ? [el('blockquote', {}, notice)] : []),
      ...(hits.length ? [table('admin_term_hits', [
        { name: 'admin_term', of: ({ term }) => term },
        { name: 'admin_similarity', of: ({ similarity }) => code(number(similarity, 2)) },
        { name: 'admin_match', of: ({ match_type: match }) => say(el('span'), match ? `admin_match_${match}` : 'admin_match_weak') },
      ], hits, { empty: 'admin_no_hits' }).element] : []))
  })
  return el('div', {}, made, place)
}

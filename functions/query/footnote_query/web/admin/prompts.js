// The prompts: one in one language is edited, compared with an earlier version, tried on a question, saved, rolled back.

import { call, callAll, orNull } from '../api.js'
import { el, label, say } from '../dom.js'
import { addWords, number } from '../i18n.js'
import de from '../i18n/de.prompts.js'
import en from '../i18n/en.prompts.js'
import ko from '../i18n/ko.prompts.js'
import { connect } from './connect.js'
import { back, badge, button, carefulButton, code, emptyNote, factList, field, filled, form, hint, link, section, select, tell, when } from './parts.js'
import { table } from './table.js'
import { diffLines } from './diff.js'

addWords({ en, de, ko })

const LANGUAGES = ['en', 'de', 'ko']
const PACKAGED = 0
const pathOf = (name, lang, more = {}) => `/prompts/${encodeURIComponent(name)}?${new URLSearchParams({ lang, ...more })}`

export const show = ([name, lang = 'en'], again) => (name ? one(name, lang, again) : all())

async function all() {
  const prompts = await callAll('/prompts', 200)
  const names = [...new Set(prompts.map(({ name }) => name))]
  const rows = names.map(name => ({ name, in: Object.fromEntries(prompts.filter(each => each.name === name).map(each => [each.lang, each])) }))
  const column = lang => ({
    name: `admin_lang_${lang}`,
    of: ({ name, in: { [lang]: each } }) => {
      const way = link(`prompts/${name}/${lang}`, '')
      if (each.version) say(way, 'admin_version', { n: each.version })
      else say(way, 'admin_packaged')
      return el('span', {}, way, ' ', each.version ? badge('admin_changed', 'changed') : null)
    },
    by: ({ in: { [lang]: each } }) => each.version ?? 0,
  })
  return [hint('admin_prompts_text'), table('admin_prompts', [
    { name: 'admin_prompt', of: ({ name }) => el('div', {}, link(`prompts/${name}/en`, name), hint(`prompt_${name}`)), by: ({ name }) => name }, ...LANGUAGES.map(column),
  ], rows, { empty: 'admin_no_match' }).element]
}

// --- one prompt ----------------------------------------------------------------------------------

async function one(name, lang, again) {
  const up = back('prompts', 'admin_all_prompts')
  const prompt = await orNull(call('GET', pathOf(name, lang)))
  if (!prompt) return [up, emptyNote('admin_no_prompt')]
  const text = el('textarea', { rows: 16, spellcheck: 'false', class: 'mono' })
  text.value = prompt.template
  const others = LANGUAGES.map(each => {
    const way = say(link(`prompts/${name}/${each}`, ''), `admin_lang_${each}`)
    if (each === lang) way.setAttribute('aria-current', 'true')
    return way
  })
  const editor = form([field('admin_template', text)], 'admin_save_version', async () => {
    const { version } = await call('PUT', `/prompts/${encodeURIComponent(name)}`, { lang, template: text.value })
    delete editor.dataset.changed
    tell('admin_version_saved', { n: version })
    again()
  })
  if (prompt.source === 'saved') {
    editor.querySelector('.acts').append(carefulButton('admin_to_packaged', 'admin_to_packaged_question', async () => {
      await call('DELETE', pathOf(name, lang))
      tell('admin_now_packaged')
      again()
    }, {}, 'second'))
  }
  return [
    up, el('h3', { class: 'name' }, name), say(el('p', {}), `prompt_${name}`), label(el('p', { class: 'tabs' }, ...others), 'admin_languages'),
    factList(['admin_in_use', prompt.version ? say(el('span'), 'admin_version', { n: prompt.version }) : say(el('span'), 'admin_packaged')],
      ['admin_when', when(prompt.changed_at)], ['admin_who', el('span', {}, prompt.changed_by ?? '–')]),
    el('p', { class: 'words hint' }, say(el('span'), prompt.variables.length ? 'admin_variables' : 'admin_no_variables'), ' ', ...prompt.variables.flatMap(each => [code(each), ' '])),
    editor,
    section('admin_preview', preview(prompt, text)),
    section('admin_diff', compare(prompt, text)),
    section('admin_versions', versionsOf(prompt, again)),
  ]
}

/** What the text in the editor changes of an earlier version, or of the packaged text. */
function compare({ name, lang, version, versions }, text) {
  const earlier = versions.map(each => each.version)
  const before = earlier.find(each => each < version) ?? PACKAGED
  const which = select([...earlier.map(each => [String(each), 'admin_version']), [String(PACKAGED), 'admin_packaged']], String(before), refresh)
  for (const option of which.options) if (option.value !== '0') say(option, 'admin_version', { n: Number(option.value) })
  const place = el('div', {})
  function refresh() {
    place.replaceChildren(filled(async () => {
      const { template } = await call('GET', pathOf(name, lang, { version: which.value }))
      const lines = diffLines(template, text.value)
      if (lines.every(([sign]) => sign === ' ')) return emptyNote('admin_same')
      const pre = el('pre', { class: 'diff', tabindex: 0 }, ...lines.map(([sign, line]) =>
        el(sign === '+' ? 'ins' : sign === '-' ? 'del' : 'span', {}, `${sign} ${line}\n`)))
      return label(pre, 'admin_diff')
    }))
  }
  text.addEventListener('change', refresh)
  refresh()
  return el('div', {}, field('admin_compare_with', which), place)
}

/** The text in the editor answers a question, which is not stored. */
function preview({ name, lang }, text) {
  const question = el('input', { autocomplete: 'off', maxlength: 2000, list: 'stored-questions' })
  const stored = el('datalist', { id: 'stored-questions' })
  const collection = el('select', {})
  const place = el('div', { 'aria-live': 'polite' })
  const cases = new Map()
  const collections = async () => {
    const [{ data: names }, golden] = await Promise.all([call('GET', '/collections'), callAll('/golden').catch(() => [])])
    collection.replaceChildren(...names.map(each => el('option', { value: each.name }, each.name)))
    for (const each of golden) if (each.question) cases.set(each.question, each.collection)
    stored.replaceChildren(...[...cases.keys()].map(value => el('option', { value })))
  }
  collections().catch(problem => place.replaceChildren(el('p', { class: 'problem' }, problem.message)))
  question.addEventListener('input', () => cases.has(question.value) && (collection.value = cases.get(question.value)))
  const made = form([hint('admin_preview_text'), field('admin_question', question), stored, field('admin_collection', collection)], 'admin_try', async () => {
    place.replaceChildren()
    const found = await call('POST', `/prompts/${encodeURIComponent(name)}/preview`, {
      lang, template: text.value, query_text: question.value, index_name: collection.value })
    if (!found.was_used) return place.replaceChildren(say(el('p', { class: 'note', 'data-state': 'missing' }), 'admin_prompt_unused'))
    place.replaceChildren(...answerOf(found), ...toldOf(found))
  })
  return el('div', {}, made, place)
}

/** The answer of the model; without a model, that there is none. */
function answerOf({ model, text, total_tokens: tokens }) {
  if (model) return [factList(['admin_model', el('span', {}, model)], ['admin_tokens', el('span', {}, number(tokens))]), say(el('h4'), 'admin_answer'), el('blockquote', {}, text || '–')]
  return [el('p', { class: 'note line', 'data-state': 'missing' }, say(el('span'), 'admin_prompt_no_model'), button('connect_model', () => connect(() => {})))]
}

/** What the model is told: the calls that the text is a part of. What no model is sent, such as a notice, as it became. */
function toldOf({ sent, rendered }) {
  const calls = sent.length ? sent : rendered.map(content => [{ role: null, content }])
  return calls.flatMap(messages => [
    say(el('h4'), sent.length ? 'admin_told' : 'admin_rendered'),
    ...messages.map(({ role, content }) => el('div', { class: 'message' }, role && el('b', {}, role), el('pre', { tabindex: 0 }, content))),
  ])
}

function versionsOf({ name, lang, version, versions }, again) {
  const activate = each => carefulButton('admin_activate', 'admin_activate_question', async () => {
    await call('PUT', `/prompts/${encodeURIComponent(name)}`, { lang, version: each.version })
    tell('admin_version_active', { n: each.version })
    again()
  }, { n: each.version })
  return table('admin_versions', [
    { name: 'admin_number', of: each => say(el('span'), 'admin_version', { n: each.version }), by: each => each.version },
    { name: 'admin_when', of: each => when(each.saved_at), by: each => each.saved_at },
    { name: 'admin_who', of: each => each.saved_by },
    { name: 'admin_action', of: each => (each.version === version ? badge('admin_active', 'ok') : activate(each)) },
  ], versions, { empty: 'admin_no_versions' }).element
}

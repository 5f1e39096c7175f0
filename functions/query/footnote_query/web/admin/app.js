// The administration page: navigation, and one view at a time, each loaded when it is first opened. `#/settings/rag.alpha` names the
// view `settings` and what it shows.

import { call } from '../api.js'
import { $, el, say } from '../dom.js'
import { addWords, currentLanguage, setLanguage, t, translatePage } from '../i18n.js'
import de from '../i18n/de.admin.js'
import en from '../i18n/en.admin.js'
import ko from '../i18n/ko.admin.js'
import '../sign_in.js'
import { failedNote } from './parts.js'

addWords({ en, de, ko })

const VIEWS = ['overview', 'documents', 'collections', 'people', 'prompts', 'settings', 'terms', 'feedback', 'experiments', 'audit']
const ELSEWHERE = { statistics: 'statistics', voices: './?open=voices' }
let latest = 0 // the number of the last opening: earlier ones that are still loading are not shown

$('nav-list').append(
  ...VIEWS.map(name => el('li', {}, say(el('a', { href: `#/${name}`, 'data-view': name }), `admin_${name}`))),
  ...Object.entries(ELSEWHERE).map(([key, href]) => el('li', { class: 'elsewhere' }, say(el('a', { href }), key))))

/** The view that the address names, and the rest of the address. */
function place() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, '').split('/').map(decode)
  return VIEWS.includes(name) ? { name, rest } : { name: 'overview', rest: [] }
}

function decode(part) {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

async function open() {
  const mine = (latest += 1)
  const { name, rest } = place()
  for (const link of $('nav-list').querySelectorAll('[data-view]')) {
    if (link.dataset.view === name) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  $('nav-list').querySelector('[aria-current]').scrollIntoView({ block: 'nearest', inline: 'nearest' })
  say($('title'), `admin_${name}`)
  document.title = `${t(`admin_${name}`)} – Footnote`
  $('main').setAttribute('aria-busy', 'true')
  $('view').replaceChildren(say(el('p', { class: 'hint' }), 'admin_loading'))
  let shown
  try {
    const [{ show }, { is_admin: isAdmin }] = await Promise.all([import(`./${name}.js`), call('GET', '/me/preferences')])
    shown = isAdmin ? await show(rest, open) : [say(el('p', { class: 'note', role: 'alert' }), 'admin_forbidden')]
  } catch (problem) {
    shown = [failedNote(problem, open)]
  }
  if (mine !== latest) return
  $('view').replaceChildren(...[shown].flat())
  $('main').setAttribute('aria-busy', 'false')
  if (document.documentElement.dataset.ready && document.activeElement === document.body) $('title').focus() // what was clicked is gone
  document.documentElement.dataset.ready = 'true'
}

addEventListener('hashchange', async () => {
  if (location.hash && !location.hash.startsWith('#/')) return
  if ('keep' in $('status').dataset) delete $('status').dataset.keep
  else say($('status'), '')
  await open()
  $('title').focus()
})
document.querySelector('.skip').addEventListener('click', event => {
  event.preventDefault() // the address names the view
  $('view').focus()
})
$('language').value = currentLanguage()
$('language').addEventListener('change', () => {
  setLanguage($('language').value)
  document.title = `${t(`admin_${place().name}`)} – Footnote`
  if (!$('view').querySelector('[data-changed]')) open() // a form that is not saved yet stays
})
translatePage()
await open()

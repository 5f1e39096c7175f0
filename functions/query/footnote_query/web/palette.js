// The command palette: a field, and below it what the page can do that has its words. The keyboard never leaves the field.

import { addressOf, NEW } from './address.js'
import { focusQuestion } from './composer.js'
import { holding } from './conversation_groups.js'
import { knownConversations } from './conversations.js'
import { $, el, label, say } from './dom.js'
import { addWords, t } from './i18n.js'
import de from './i18n/de.palette.js'
import en from './i18n/en.palette.js'
import ko from './i18n/ko.palette.js'
import { openPanel } from './panels.js'
import { loadStyle } from './style_sheet.js'
import { setTheme } from './theme_switch.js'

addWords({ en, de, ko })
await loadStyle('web/palette.css')

const ADMIN = ['overview', 'documents', 'collections', 'people', 'prompts', 'settings', 'terms', 'feedback', 'experiments', 'audit']
const MOST_CONVERSATIONS = 6

const field = el('input', { type: 'text', role: 'combobox', 'aria-controls': 'palette-list', 'aria-expanded': 'true', 'aria-autocomplete': 'list', autocomplete: 'off', spellcheck: 'false', maxlength: 200 })
const list = el('ul', { id: 'palette-list', role: 'listbox' })
const none = el('p', { class: 'hint', role: 'status' })
const dialog = el('dialog', { class: 'palette' }, field, list, none)
document.body.append(dialog)
let commands = []
let shown = []
let chosen = 0

/** `chooseCollection(name)`: shows the collection and its documents. */
export function openPalette({ chooseCollection }) {
  if (dialog.open) return
  commands = commandsOf(chooseCollection)
  label(dialog, 'palette').title = ''
  label(field, 'palette_search').title = ''
  field.placeholder = t('palette_search')
  label(list, 'palette_commands').title = ''
  field.value = ''
  show()
  dialog.showModal()
}

/** → [{group, text, act}] in the order in which they are shown. */
function commandsOf(chooseCollection) {
  const go = address => () => location.assign(address)
  const collections = [...$('index').options].filter(({ value }) => value !== $('index').value)
  const pages = [['statistics', 'statistics']]
  const isAdmin = !$('show-admin').hidden
  return [
    { text: t('conversation_new'), act: () => (location.hash === NEW || !location.hash ? focusQuestion() : location.assign(NEW)) },
    { text: t('palette_question'), act: focusQuestion },
    { text: t('palette_documents'), act: showDocuments },
    { text: t('shortcuts'), act: () => import('./shortcut_list.js').then(({ openShortcuts }) => openShortcuts()) },
    ...collections.map(({ value, text }) => ({ group: t('palette_collection'), text, act: () => chooseCollection(value) })),
    ...knownConversations().map(({ room_id, title }) => ({ group: t('conversations'), text: title, act: go(addressOf(room_id)), isConversation: true })),
    ...['system', 'light', 'dark'].map(name => ({ group: t('theme'), text: t(`theme_${name}`), act: () => setTheme(name) })),
    ...pages.map(([key, address]) => ({ text: t(key), act: go(address) })),
    ...(isAdmin ? ADMIN.map(name => ({ group: t('admin'), text: t(name === 'documents' ? name : `palette_${name}`), act: go(`admin#/${name}`) })) : []),
  ]
}

function showDocuments() {
  if (matchMedia('(min-width: 1000px)').matches) $('documents-title').focus()
  else openPanel($('documents'))
}

function show() {
  const matches = holding(field.value)
  const isSearch = field.value.trim() !== ''
  let conversations = 0
  shown = commands.filter(({ group = '', text, isConversation }) => {
    if (!matches(`${group} ${text}`)) return false
    return !isConversation || (isSearch && ++conversations <= MOST_CONVERSATIONS)
  })
  list.replaceChildren(...shown.map(option))
  list.hidden = shown.length === 0
  none.textContent = shown.length === 0 ? t('palette_none') : ''
  choose(0)
}

function option({ group, text }, place) {
  const node = el('li', { id: `palette-${place}`, role: 'option', 'aria-selected': 'false', onclick: () => run(place) }, el('span', {}, text), group ? el('small', {}, group) : null)
  node.addEventListener('pointermove', () => choose(place, false))
  return node
}

function choose(place, scrolls = true) {
  chosen = Math.max(0, Math.min(place, shown.length - 1))
  for (const [each, node] of [...list.children].entries()) node.setAttribute('aria-selected', String(each === chosen))
  const node = list.children[chosen]
  if (!node) return field.removeAttribute('aria-activedescendant')
  field.setAttribute('aria-activedescendant', node.id)
  if (scrolls) node.scrollIntoView({ block: 'nearest' })
}

function run(place) {
  const command = shown[place]
  if (!command) return
  dialog.close()
  command.act()
}

field.addEventListener('input', show)
field.addEventListener('keydown', event => {
  const steps = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, PageDown: chosen + 8, PageUp: chosen - 8 }
  if (event.isComposing || event.keyCode === 229) return
  if (event.key in steps) choose(steps[event.key])
  else if (event.key === 'Enter') run(chosen)
  else if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) dialog.close()
  else return
  event.preventDefault()
})
dialog.addEventListener('click', event => event.target === dialog && dialog.close()) // click on the backdrop

// The list of keyboard shortcuts.

import { el, joined, label, say } from './dom.js'
import { addWords } from './i18n.js'
import de from './i18n/de.palette.js'
import en from './i18n/en.palette.js'
import ko from './i18n/ko.palette.js'
import { loadStyle } from './style_sheet.js'

addWords({ en, de, ko })
await loadStyle('web/palette.css')

const isApple = /Mac|iPhone|iPad/.test(navigator.platform)
const KEYS = [
  ['keys_everywhere', [
    [['control', 'K'], 'key_palette'],
    [['?'], 'key_help'],
    [['control', '/'], 'key_help_typing'],
    [['/'], 'key_question'],
    [['Esc'], 'key_close'],
  ]],
  ['keys_question', [
    [['Enter'], 'key_send'],
    [['shift', 'Enter'], 'key_line'],
  ]],
  ['keys_document', [
    [['['], 'key_back'],
    [[']'], 'key_on'],
    [['+'], 'key_larger'],
    [['-'], 'key_smaller'],
  ]],
]

const key = name => (name === 'control' && isApple ? el('kbd', {}, '⌘') : name === 'control' || name === 'shift' ? say(el('kbd'), `key_${name}`) : el('kbd', {}, name))
const keys = names => el('dt', {}, ...joined(names.map(key), ' + '))
const group = ([title, rows]) => el('section', {}, say(el('h3'), title), el('dl', {}, ...rows.map(([names, said]) => el('div', {}, keys(names), say(el('dd'), said)))))
const dialog = el('dialog', { class: 'shortcuts', 'aria-labelledby': 'shortcuts-title' },
  el('header', {}, say(el('h2', { id: 'shortcuts-title' }), 'shortcuts'),
    label(el('button', { type: 'button', class: 'quiet icon cross', onclick: () => dialog.close() }), 'close')),
  el('div', { class: 'shortcut-groups' }, ...KEYS.map(group)))
dialog.addEventListener('click', event => event.target === dialog && dialog.close()) // click on the backdrop
document.body.append(dialog)

export const openShortcuts = () => dialog.open || dialog.showModal()

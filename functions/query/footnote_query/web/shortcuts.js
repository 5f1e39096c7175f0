// Keys that work anywhere on the page. What they open is loaded when it is first used.

import { $, say } from './dom.js'
import { focusQuestion } from './composer.js'

const FIELDS = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]'

/** `actions`: of the palette, as `openPalette` takes them. */
export function watchShortcuts(actions) {
  const open = (module, name) => import(module).then(loaded => loaded[name](actions), () => say($('status'), 'error_unreachable'))
  const palette = () => open('./palette.js', 'openPalette')
  const help = () => open('./shortcut_list.js', 'openShortcuts')

  document.addEventListener('keydown', event => {
    if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return
    const withControl = event.ctrlKey || event.metaKey
    const isTyping = event.target.matches?.(FIELDS)
    if (withControl && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') act(event, palette)
    else if (withControl && event.key === '/') act(event, help)
    else if (isTyping || withControl || event.altKey) return
    else if (event.key === '?') act(event, help)
    else if (event.key === '/') act(event, focusQuestion)
  })
  $('show-palette').addEventListener('click', () => {
    $('account-menu').hidePopover()
    palette()
  })
  $('show-shortcuts').addEventListener('click', () => {
    $('account-menu').hidePopover()
    help()
  })
}

function act(event, action) {
  event.preventDefault()
  action()
}

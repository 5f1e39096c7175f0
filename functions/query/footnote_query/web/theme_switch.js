// The choice of light or dark colours.

import { $ } from './dom.js'
import { recall, remember } from './memory.js'

const picker = $('theme')
const THEMES = ['light', 'dark']

/** `theme`: `light`, `dark`, or `system`, which follows the device. */
export function setTheme(theme) {
  const isChosen = THEMES.includes(theme)
  if (isChosen) document.documentElement.dataset.theme = theme
  else delete document.documentElement.dataset.theme
  remember('theme', isChosen ? theme : null)
  picker.value = isChosen ? theme : 'system'
}

const remembered = recall('theme')
picker.value = THEMES.includes(remembered) ? remembered : 'system'
picker.addEventListener('change', () => setTheme(picker.value))

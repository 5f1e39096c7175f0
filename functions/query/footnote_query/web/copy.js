// Copies text to the clipboard and confirms it on the button.

import { label } from './dom.js'

/** `key`: the button's label, restored after "copied". */
export async function copyText(text, button, key) {
  await write(text)
  label(button, 'copied').classList.add('copied')
  setTimeout(() => label(button, key).classList.remove('copied'), 2000)
}

/** The Clipboard API exists only on https and localhost; elsewhere execCommand is used. */
async function write(text) {
  try {
    return await navigator.clipboard.writeText(text)
  } catch {
    // not available, or not allowed
  }
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

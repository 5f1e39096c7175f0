// Text → the clipboard, told on the button that asked for it.

import { label } from './dom.js'

/** `key` names the button again after it has said "copied". */
export async function copyText(text, button, key) {
  await write(text)
  label(button, 'copied').classList.add('copied')
  setTimeout(() => label(button, key).classList.remove('copied'), 2000)
}

/** The clipboard's API is there on https and on localhost only; elsewhere the old command does it. */
async function write(text) {
  try {
    return await navigator.clipboard.writeText(text)
  } catch {
    // not here, or not allowed now
  }
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

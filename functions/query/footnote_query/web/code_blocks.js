// Code in answers: each block has a button that copies it.

import { copyText } from './copy.js'
import { el, label } from './dom.js'

export function addCopyButtons(root) {
  for (const pre of root.querySelectorAll('pre')) {
    const text = pre.textContent.replace(/\n$/, '')
    const button = label(el('button', { type: 'button', class: 'quiet icon copy', onclick: () => copyText(text, button, 'copy_code') }), 'copy_code')
    const frame = el('div', { class: 'code' })
    pre.tabIndex = 0 // a wide one also scrolls by keyboard
    pre.replaceWith(frame)
    frame.append(button, pre)
  }
}

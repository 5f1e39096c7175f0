// Files and folders from the pickers or dropped anywhere on the page.

import { $, say } from './dom.js'
import { droppedFiles, pickedFiles } from './folders.js'

/** `onFiles([{file, path}])`: called with at least one file. */
export function acceptFiles(onFiles) {
  const take = found => found.length && onFiles(found)
  for (const [button, input] of [['choose', 'files'], ['first-file', 'files'], ['choose-folder', 'folder']]) {
    $(button).addEventListener('click', () => $(input).click())
  }
  for (const input of [$('files'), $('folder')]) {
    input.addEventListener('change', () => {
      take(pickedFiles(input.files))
      input.value = '' // so that the same file can be chosen again
    })
  }

  const overlay = $('drop-here')
  const carriesFiles = event => event.dataTransfer?.types.includes('Files')
  let depth = 0 // enter and leave fire for every element below the pointer
  const hover = change => {
    depth = Math.max(0, depth + change)
    overlay.hidden = depth === 0
  }
  addEventListener('dragenter', event => carriesFiles(event) && hover(1))
  addEventListener('dragleave', event => carriesFiles(event) && hover(-1))
  addEventListener('dragover', event => {
    if (!carriesFiles(event)) return
    event.preventDefault()
    say(overlay.firstElementChild, event.target.closest?.('#ask') ? 'drop_attach' : 'drop_here')
  })
  addEventListener('drop', async event => {
    if (!carriesFiles(event)) return
    hover(-depth)
    if (event.defaultPrevented) return // the question box has taken them
    event.preventDefault()
    take(await droppedFiles(event.dataTransfer))
  })
}

// Files and folders from the pickers or dropped anywhere on the page.

import { $, say } from './dom.js'
import { droppedFiles, pickedFiles } from './folders.js'

const GONE_MS = 700 // without a dragover, which comes at least every 550 ms, the drag has left the window or was cancelled

/** `onFiles([{file, path}])`: called with at least one file; `collection()`: where they go. */
export function acceptFiles(onFiles, collection) {
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
  let timer = 0
  const carriesFiles = event => event.dataTransfer?.types.includes('Files')
  addEventListener('dragover', event => {
    if (!carriesFiles(event)) return
    event.preventDefault()
    const [key, values] = event.target.closest?.('#ask') ? ['drop_attach'] : ['drop_here', { name: collection() }]
    say(overlay.firstElementChild, key, values)
    overlay.showPopover() // above an open dialog
    clearTimeout(timer)
    timer = setTimeout(() => overlay.hidePopover(), GONE_MS)
  })
  addEventListener('drop', async event => {
    if (!carriesFiles(event)) return
    overlay.hidePopover()
    if (event.defaultPrevented) return // the question box has taken them
    event.preventDefault()
    take(await droppedFiles(event.dataTransfer))
  })
}

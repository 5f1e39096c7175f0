// Files come from the picker, or dropped anywhere on the page.

import { $ } from './dom.js'

/** `onFiles(File[])` and `onFolder(name)`. */
export function acceptFiles(onFiles, onFolder) {
  const input = $('files')
  for (const id of ['choose', 'first-file']) $(id).addEventListener('click', () => input.click())
  input.addEventListener('change', () => {
    onFiles([...input.files])
    input.value = '' // the same file can be chosen again
  })

  const overlay = $('drop-here')
  const carriesFiles = event => event.dataTransfer?.types.includes('Files')
  let depth = 0 // enter and leave come for every element below the pointer
  const hover = change => {
    depth = Math.max(0, depth + change)
    overlay.hidden = depth === 0
  }
  addEventListener('dragenter', event => carriesFiles(event) && hover(1))
  addEventListener('dragleave', event => carriesFiles(event) && hover(-1))
  addEventListener('dragover', event => carriesFiles(event) && event.preventDefault())
  addEventListener('drop', event => {
    if (!carriesFiles(event)) return
    event.preventDefault()
    hover(-depth)
    const files = []
    for (const item of event.dataTransfer.items) {
      const file = item.getAsFile()
      if (item.webkitGetAsEntry?.()?.isDirectory) onFolder(file?.name ?? '')
      else if (file) files.push(file)
    }
    if (files.length) onFiles(files)
  })
}

// The files of picked or dropped folders as `{file, path}`: path = "folder/below/name", file = null if unreadable.

const HIDDEN = /^(\.|~\$|(__MACOSX|Thumbs\.db|desktop\.ini)$)/i // files of the operating system and of programs

/** Files of an `<input>`, with or without `webkitdirectory`. */
export function pickedFiles(files) {
  const found = [...files].map(file => ({ file, path: file.webkitRelativePath || file.name }))
  return inOrder(found.filter(({ file, path }) => path === file.name || isShown(path)))
}

/** Files of a drop. A DataTransfer can only be read before the first `await`. */
export async function droppedFiles({ items }) {
  const dropped = [...items].filter(({ kind }) => kind === 'file').map(item => ({ entry: item.webkitGetAsEntry?.(), file: item.getAsFile() }))
  const found = []
  for (const { entry, file } of dropped) {
    if (entry?.isDirectory) for await (const item of walk(entry, entry.name)) found.push(item)
    else if (file) found.push({ file, path: file.name })
  }
  return inOrder(found)
}

const inOrder = found => found.sort((a, b) => a.path.localeCompare(b.path, undefined, { numeric: true }))
const isShown = path => !path.split('/').some(name => HIDDEN.test(name))

async function* walk(folder, path) {
  for await (const entry of entriesOf(folder)) {
    const below = `${path}/${entry.name}`
    if (HIDDEN.test(entry.name)) continue
    if (entry.isDirectory) yield* walk(entry, below)
    else yield { file: await fileOf(entry), path: below }
  }
}

async function* entriesOf(folder) {
  const reader = folder.createReader()
  for (;;) {
    const some = await new Promise(resolve => reader.readEntries(resolve, () => resolve([])))
    if (some.length === 0) return // readEntries returns at most 100 at a time
    yield* some
  }
}

const fileOf = entry => new Promise(resolve => entry.file(resolve, () => resolve(null)))

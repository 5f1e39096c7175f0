// Persistence: choices between visits (localStorage), unfinished questions until the tab is closed (sessionStorage).
// If the browser forbids storage, nothing is persisted.

export const recall = name => read(() => localStorage, name)
export const remember = (name, value) => write(() => localStorage, name, value)

/** A question whose answer is still running, or was when the user left the conversation: `{request, from, at}`, or null. */
export const recallUnfinished = room => JSON.parse(read(() => sessionStorage, `unfinished.${room}`))
export const rememberUnfinished = (room, unfinished) => write(() => sessionStorage, `unfinished.${room}`, JSON.stringify(unfinished))
export const forgetUnfinished = room => write(() => sessionStorage, `unfinished.${room}`, null)

/** The rooms with an unfinished question. */
export function unfinishedRooms() {
  const prefix = 'footnote.unfinished.'
  try {
    return Object.keys(sessionStorage).filter(key => key.startsWith(prefix)).map(key => key.slice(prefix.length))
  } catch {
    return []
  }
}

function read(storage, name) {
  try {
    return storage().getItem(`footnote.${name}`)
  } catch {
    return null
  }
}

function write(storage, name, value) {
  try {
    if (value === null) storage().removeItem(`footnote.${name}`)
    else storage().setItem(`footnote.${name}`, value)
  } catch {
    // Storage is disabled or full; the choice lasts until the page is closed.
  }
}

// The conversation in the page's address, `#/c/<room_id>`, so that reload, back and forward work.

const ROOM = /^#\/c\/(.+)$/

/** The room id in the address; null = a new conversation. */
export function currentRoom() {
  try {
    return decodeURIComponent(ROOM.exec(location.hash)[1])
  } catch {
    return null // no room, or malformed
  }
}

export const addressOf = room => `#/c/${encodeURIComponent(room)}`
export const NEW = '#/'

/** Puts the room into the address without opening it, because its first question is already running. */
export const nameRoom = room => history.pushState(null, '', addressOf(room))

/** `crypto.randomUUID` exists only on https and localhost. */
export function makeRoom() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return crypto.randomUUID?.() ?? Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

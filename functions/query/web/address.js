// The conversation in the page's address, `#/c/<room_id>`: reload, back and forward find it again.

const ROOM = /^#\/c\/(.+)$/

/** The room that the address names; null = a new conversation. */
export function currentRoom() {
  try {
    return decodeURIComponent(ROOM.exec(location.hash)[1])
  } catch {
    return null // no room, or one that was typed badly
  }
}

export const addressOf = room => `#/c/${encodeURIComponent(room)}`
export const NEW = '#/'

/** Names the room without opening it: its first question is just being asked. */
export const nameRoom = room => history.pushState(null, '', addressOf(room))

/** `crypto.randomUUID` is there on https and on localhost only. */
export function makeRoom() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return crypto.randomUUID?.() ?? Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

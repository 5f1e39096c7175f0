// Orders conversations for the list: those that match the search, the pinned ones first, the others by date.

const DAY_S = 86_400
const plain = text => text.normalize('NFC').toLocaleLowerCase()

/** → whether a text holds every word of `search`. */
export function holding(search) {
  const words = plain(search).split(/\s+/).filter(Boolean)
  return text => words.every(word => plain(text).includes(word))
}

/** The conversations whose title holds every word of `search`. */
export function matching(rooms, search) {
  const matches = holding(search)
  return rooms.filter(({ title }) => matches(title))
}

/** → [[key of the heading, conversations]], without empty groups; `now`: a Date. Days are those of the user's clock. */
export function grouped(rooms, now = new Date()) {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime() / 1000
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1).getTime() / 1000 // a day may have 23 or 25 hours
  const groups = { pinned: [], today: [], yesterday: [], week: [], older: [] }
  for (const room of rooms) {
    const at = room.updated_at
    const name = room.pinned ? 'pinned' : at >= midnight ? 'today' : at >= yesterday ? 'yesterday' : at >= midnight - 7 * DAY_S ? 'week' : 'older'
    groups[name].push(room)
  }
  return Object.entries(groups).filter(([, found]) => found.length > 0)
}

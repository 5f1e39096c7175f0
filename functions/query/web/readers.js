// Who may read what is added from this page: only its owner, a group of theirs, all of those, or everyone.

import { call } from './api.js'
import { $, el, say } from './dom.js'

const picker = $('readers')
let own = null // the permission group of this reader alone; null = nobody signs in here, all is everyone's

/** Asks the server who this is. Where nobody signs in, there is nothing to choose. */
export async function startReaders() {
  const { own_group: mine = null, groups = [] } = await call('GET', '/me/preferences').catch(() => ({}))
  own = mine
  picker.closest('label').hidden = own === null
  if (own === null) return
  const option = (key, chosen, text) => {
    const node = el('option', { value: JSON.stringify(chosen) }, text)
    return key ? say(node, key) : node
  }
  picker.replaceChildren(
    option('readers_me', [own]),
    ...groups.map(group => option(null, [group], group)),
    ...(groups.length > 1 ? [option('readers_groups', groups)] : []),
    option('readers_everyone', ['*']),
  )
}

export const readers = () => ({ own })

/** The permission groups of what is added now; [] = the server's own choice. */
export const chosenReaders = () => (picker.value ? JSON.parse(picker.value) : [])

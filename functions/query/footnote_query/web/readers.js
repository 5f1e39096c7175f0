// The picker for who can read added files: only the user, one of their groups, all of these, or everyone.

import { call } from './api.js'
import { $, el, say } from './dom.js'

const picker = $('readers')
let admin = false
let own = null // the user's own permission group; null = single-user mode

/** Loads the user's groups. In single-user mode there is nothing to choose. */
export async function startReaders() {
  const { own_group: mine = null, groups = [], is_admin = false } = await call('GET', '/me/preferences').catch(() => ({}))
  own = mine
  admin = is_admin
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

export const isAdmin = () => admin

/** The permission groups for added files; [] = the server's default. */
export const chosenReaders = () => (picker.value ? JSON.parse(picker.value) : [])

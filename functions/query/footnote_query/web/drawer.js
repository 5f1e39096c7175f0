// The conversations: a column beside the thread, or a drawer on narrow screens.

import { $ } from './dom.js'

const wide = matchMedia('(min-width: 1240px)')
const drawer = $('drawer')
const conversations = $('conversations')

export const closeDrawer = () => drawer.open && drawer.close()

$('show-conversations').addEventListener('click', () => {
  drawer.append(conversations)
  drawer.showModal()
})
drawer.addEventListener('close', () => $('columns').prepend(conversations))
drawer.addEventListener('click', event => event.target === drawer && drawer.close()) // click on the backdrop
$('close-conversations').addEventListener('click', closeDrawer)
wide.addEventListener('change', closeDrawer)

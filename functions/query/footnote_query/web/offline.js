// A line in the question box while the device has no network. A server on the device itself answers all the same.

import { here } from './api.js'
import { $ } from './dom.js'

let isOff = false

/** Whether a question would not reach the server, because the device has no network. */
export const isOffline = () => isOff

async function look() {
  const isReached = navigator.onLine || (await fetch(here('/web/icon.svg'), { method: 'HEAD', cache: 'no-store' }).then(() => true, () => false))
  isOff = !isReached && !navigator.onLine // it may be back meanwhile
  $('offline').hidden = !isOff
}

for (const event of ['online', 'offline']) addEventListener(event, look)
look()

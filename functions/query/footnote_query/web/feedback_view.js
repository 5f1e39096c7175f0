// For admins: what people said of the answers, in a dialog over the page. It is built when it is first opened.

import { $, el, label, say } from './dom.js'
import { feedbackPanel } from './feedback_panel.js'

const button = $('show-feedback')
const dialog = $('feedback')
let parts = null

/** Shows the entry in the account menu to admins. `collections`: as in GET /collections. */
export function offerFeedback(collections, isAdmin) {
  button.hidden = !isAdmin
  if (!isAdmin && dialog.open) dialog.close()
  button.onclick = () => open(collections.map(({ name }) => name))
}

function open(names) {
  parts ??= build()
  $('account-menu').hidePopover()
  dialog.showModal()
  parts.title.focus()
  parts.open(names)
}

function build() {
  const title = say(el('h2', { id: 'feedback-title', tabindex: -1 }), 'feedback_view')
  const close = label(el('button', { type: 'button', class: 'quiet icon cross', onclick: () => dialog.close() }), 'close')
  const { tabs, panel, open } = feedbackPanel({ title: 'feedback-title', leave: () => dialog.close() })
  dialog.setAttribute('aria-labelledby', 'feedback-title')
  dialog.append(el('header', {}, title, close), tabs, panel)
  dialog.addEventListener('click', event => event.target === dialog && dialog.close())
  dialog.addEventListener('close', () => $('account').focus()) // its menu is closed
  return { title, open }
}

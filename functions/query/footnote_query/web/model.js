// The language model in the page's header: its name, in one line where it was found or that there is none, and for admins a form to connect one.

import { call } from './api.js'
import { allowModels } from './composer.js'
import { $, say } from './dom.js'
import { currentLanguage } from './i18n.js'

const button = $('model')
const offers = [...document.querySelectorAll('.connect-model')]

/** Asks the server which model answers now. */
export async function showModel() {
  const status = await call('GET', `/model?lang=${currentLanguage()}`).catch(() => null)
  button.hidden = status === null
  if (status === null) return
  for (const id of ['model-text', 'model-text-narrow']) $(id).textContent = status.text
  allowModels(status.model !== null, status.text)
  delete button.dataset.i18n
  if (status.model) button.textContent = status.model
  else say(button, 'no_model')
}

/** Shows admins the buttons that open the form. */
export function offerModel(isAdmin) {
  for (const each of offers) each.hidden = !isAdmin
}

export const mayConnect = () => !offers[0].hidden

export const connectModel = () => import('./connect_model.js').then(({ openForm }) => openForm(showModel))

for (const each of offers) {
  each.addEventListener('click', () => {
    each.closest('[popover]').hidePopover()
    connectModel()
  })
}
document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && showModel())
for (const id of ['model-menu', 'account-menu']) $(id).addEventListener('beforetoggle', ({ newState }) => newState === 'open' && showModel())

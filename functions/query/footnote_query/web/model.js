// The language model in the page's header: its name, and in one line where it was found or how to add one.

import { call } from './api.js'
import { allowModels } from './composer.js'
import { $, say } from './dom.js'
import { currentLanguage } from './i18n.js'

const button = $('model')

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

document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && showModel())
for (const id of ['model-menu', 'account-menu']) $(id).addEventListener('beforetoggle', ({ newState }) => newState === 'open' && showModel())

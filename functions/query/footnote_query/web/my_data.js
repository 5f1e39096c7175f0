// The account menu: the user's usage, download or delete their data, choose a preferred model and a theme.

import { call } from './api.js'
import { confirmDelete } from './confirm.js'
import { $, el, say } from './dom.js'
import { forgetUnfinished, unfinishedRooms } from './memory.js'
import './theme_switch.js'

const models = $('preferred')
const status = $('account-status')

$('account-menu').addEventListener('beforetoggle', ({ newState }) => newState === 'open' && (showModels(), import('./usage.js').then(({ showUsage }) => showUsage(), () => {})))

async function showModels() {
  tell('')
  const { model_id: preferred, allowed_models: allowed } = await call('GET', '/me/preferences').catch(() => ({ allowed_models: [] }))
  models.closest('label').hidden = allowed.length < 2
  models.replaceChildren(say(el('option', { value: '' }), 'prefer_none'), ...allowed.map(name => el('option', { value: name }, name)))
  models.value = preferred ?? ''
}

models.addEventListener('change', async () => {
  try {
    await call('PUT', '/me/preferences', { model_id: models.value || null })
    say(status, 'prefer_kept')
  } catch (problem) {
    tell(problem.message)
  }
})

function tell(message) {
  delete status.dataset.i18n
  status.textContent = message
}

$('forget').addEventListener('click', () => confirmDelete($('forget').parentElement, $('forget'), 'forget_question', forget))

async function forget(tellThere) {
  try {
    await call('DELETE', '/me/data')
  } catch (problem) {
    return tellThere(problem.message)
  }
  for (const room of unfinishedRooms()) forgetUnfinished(room)
  location.replace('./') // clears the page
}

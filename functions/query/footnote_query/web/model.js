// The language model in the page's header: its name, in one line where it was found or that there is none, and for admins a form to connect or change it.

import { call } from './api.js'
import { allowModels } from './composer.js'
import { $, el, say, sayTranslated } from './dom.js'
import { currentLanguage } from './i18n.js'

const [button, line, narrowLine] = ['model', 'model-text', 'model-text-narrow'].map($)
const offers = [...document.querySelectorAll('.connect-model')]

/** Asks the server which model answers now. */
export async function showModel() {
  const language = currentLanguage()
  const status = await ask(language)
  button.hidden = status === null
  if (status === null) return
  let why = ''
  for (const node of [button, line, narrowLine]) for (const name of ['i18n', 'said']) delete node.dataset[name]
  if (status.model) {
    button.textContent = status.model
    line.textContent = status.text
    say(narrowLine, 'model_named', { name: status.model })
  } else {
    why = ((language === 'en' ? status : await ask('en')) ?? status).text
    say(button, 'no_model')
    for (const node of [line, narrowLine]) sayTranslated(node, why)
  }
  for (const each of offers) say(each, status.model ? 'change_model' : 'connect_model')
  document.documentElement.dataset.model = status.model ? 'some' : 'none'
  allowModels(status.model !== null, why)
}

const ask = lang => call('GET', `/model?lang=${lang}`).catch(() => null)

/** Shows admins the buttons that open the form. */
export function offerModel(isAdmin) {
  for (const each of offers) each.hidden = !isAdmin
  document.documentElement.dataset.connects = isAdmin ? 'yes' : 'no'
}

const connectModel = () => import('./connect_model.js').then(({ openForm }) => openForm(showModel))

const way = (key, name) => say(el('button', { type: 'button', class: `quiet again-question ${name}`, onclick: connectModel }), key)

/** Beside what no model wrote, while none is connected: for admins a button that opens the form, for others whom to ask. */
export const waysToConnect = () => [' ', way('connect_model', 'to-connect'), say(el('span', { class: 'to-ask' }), 'ask_admin_model')]

/** Beside what a model failed to write, for admins: a button that opens the form. */
export const wayToChange = () => way('change_model', 'to-change')

for (const each of offers) {
  each.addEventListener('click', () => {
    each.closest('[popover]').hidePopover()
    connectModel()
  })
}
document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && showModel())
for (const id of ['model-menu', 'account-menu']) $(id).addEventListener('beforetoggle', ({ newState }) => newState === 'open' && showModel())

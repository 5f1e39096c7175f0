// What the cost of a period is, or why it is not known, and what to do.

import { call } from './api.js'
import { el, say } from './dom.js'
import { addWords, currentLanguage } from './i18n.js'
import de from './i18n/de.cost.js'
import en from './i18n/en.cost.js'
import ko from './i18n/ko.cost.js'

addWords({ en, de, ko })

/** Whether a language model is connected; null if that cannot be found out. */
export const hasModel = () => call('GET', `/model?lang=${currentLanguage()}`).then(({ model }) => model !== null, () => null)

/**
 * A note about the cost, or null if it is known. `total`: figures of all questions; `models`: the groups by model; `connected`: as in
 * `hasModel`.
 */
export function costNote({ total, models, connected, isAdmin }) {
  if (total.cost === null) {
    const unpriced = models.filter(({ figures }) => figures.cost === null).map(({ key }) => key.llm).filter(Boolean)
    const where = isAdmin ? say(el('a', { href: 'admin#/settings/llm.prices' }), 'cost_set_prices') : say(el('span'), 'cost_ask_admin')
    return el('p', { class: 'hint' }, say(el('span'), 'cost_unknown', { models: unpriced.join(', ') }), ' ', where)
  }
  if (total.total_tokens === 0) return say(el('p', { class: 'hint' }), connected === false ? 'cost_no_model' : 'cost_no_tokens')
  return null
}

// What a collection builds beside words and vectors: connections, summaries, token vectors. Each kind with what it is, how far it is built,
// what the rest will take, and buttons to build and remove it.

import { call } from '../api.js'
import { hasModel } from '../cost.js'
import { el, joined, say, sayTranslated } from '../dom.js'
import { attempt, badge, button, carefulButton, money, tell } from './parts.js'

const POLL_MS = 2000
const BY_MODEL = ['graph', 'summary_tree'] // kinds that a language model can build, too

/** `name`: of the collection. */
export async function knowledgeOf(name) {
  const path = `/collections/${encodeURIComponent(name)}/knowledge`
  const connected = await hasModel()
  const read = (query = '') => call('GET', path + query)
  const estimates = new Map() // of what the language model would take, for each kind that is off
  const [{ data }] = await Promise.all([read(), estimate()])
  const rows = new Map(data.map(({ kind }) => [kind, rowOf(kind)]))
  const list = el('ul', { class: 'parts knowledge' }, ...[...rows.values()].map(({ element }) => element))
  let timer = 0
  update(data)
  return list

  async function estimate() {
    if (!connected) return
    for (const { kind, made_by: by, estimate: takes } of (await read('?made_by=model')).data) estimates.set(kind, by === null ? takes : null)
  }

  function update(states) {
    for (const state of states) rows.get(state.kind).show(state)
    clearTimeout(timer)
    if (states.some(isBuilding)) timer = setTimeout(poll, POLL_MS)
  }

  /** Ends when another view is opened. */
  async function poll() {
    if (!list.isConnected) return
    const found = await read().catch(() => null) // the next one may succeed
    if (found) update(found.data)
    else timer = setTimeout(poll, POLL_MS)
  }

  function rowOf(kind) {
    const title = say(el('h4', { tabindex: '-1' }), `admin_knowledge_${kind}`)
    const state = el('span')
    const bar = el('progress', { 'aria-labelledby': (title.id = `knowledge-${kind}`) })
    const built = el('p', { class: 'hint' })
    const facts = el('div', {})
    const acts = el('p', { class: 'acts' })
    const head = el('div', { class: 'line' }, title, state)
    const element = el('li', {}, head, say(el('p', {}), `admin_knowledge_${kind}_text`), bar, built, facts, acts)
    let drawn = null // the state that the buttons are for: a question that is open stays

    const show = found => {
      const { made_by: by, built: done, total, obstacle, estimate } = found
      const isOn = by !== null
      state.replaceChildren(badge(...stateOf(found)))
      bar.hidden = !isOn || done >= total
      Object.assign(bar, { max: Math.max(1, total), value: done })
      built.hidden = !isOn
      say(built, 'admin_knowledge_built', { n: total, done })
      const takes = obstacle ? [] : [takesOf(estimate, by)]
      const other = !isOn && !obstacle && BY_MODEL.includes(kind) && estimates.get(kind)
      const why = obstacle && sayTranslated(el('p', { class: 'note', 'data-state': 'missing' }), obstacle)
      facts.replaceChildren(...[...takes, other && takesOf(other, 'model'), why].filter(Boolean))
      const wanted = JSON.stringify([by, obstacle])
      if (wanted === drawn) return
      drawn = wanted
      acts.replaceChildren(...actsOf(found))
    }

    const actsOf = ({ made_by: by, obstacle }) => {
      const makers = ['rules', ...(connected && BY_MODEL.includes(kind) ? ['model'] : [])].filter(maker => (!obstacle || by === 'model') && maker !== by)
      const builds = makers.map(maker => {
        const build = async () => change(await call('POST', path, { kinds: [kind], made_by: maker }), 'admin_knowledge_started')
        const key = maker === 'model' ? 'build_model' : by ? 'build_rules' : 'build'
        const made = button(`admin_knowledge_${key}`, () => attempt(build, made))
        return made
      })
      const drop = async () => change(await call('DELETE', `${path}?kinds=${kind}`), 'admin_knowledge_removed')
      return [...builds, ...(by ? [carefulButton('admin_remove', 'admin_knowledge_question', drop)] : [])]
    }

    const change = async ({ data: states }, key) => {
      await estimate()
      update(states)
      tell(key)
      title.focus() // the button is gone
    }
    return { element, show }
  }
}

const isBuilding = ({ made_by: by, built, total, obstacle }) => by !== null && built < total && !obstacle

/** The key and the look of a state. */
function stateOf(state) {
  const { kind, made_by: by, obstacle } = state
  if (by === null) return ['admin_knowledge_off', 'none']
  if (isBuilding(state)) return ['admin_knowledge_building', 'incomplete']
  if (obstacle) return ['admin_knowledge_stopped', 'incomplete']
  return [BY_MODEL.includes(kind) ? `admin_knowledge_by_${by}` : 'admin_knowledge_ready', 'ok']
}

/** What building what is left will take; null = nothing is left. `by`: who builds it. */
function takesOf({ passages, prompt_tokens: read, completion_tokens: written, cost, seconds }, by) {
  if (passages === 0) return null
  const tokens = read + written
  const parts = [
    say(el('span'), 'admin_knowledge_passages', { n: passages }),
    tokens ? say(el('span'), 'admin_knowledge_tokens', { n: tokens }) : by === 'model' ? null : say(el('span'), 'admin_knowledge_no_model'),
    tokens && cost === null ? say(el('span'), 'admin_knowledge_no_price') : null,
    tokens && cost !== null ? say(el('span'), 'admin_knowledge_cost', { cost: money(cost) }) : null,
    seconds === null ? say(el('span'), 'admin_knowledge_no_time') : lasts(seconds),
  ].filter(Boolean)
  const lead = by === null ? 'admin_knowledge_takes' : by === 'model' ? 'admin_knowledge_takes_model' : 'admin_knowledge_left'
  return el('p', { class: 'hint' }, say(el('span'), lead), ' ', ...joined(parts, ' · '))
}

function lasts(seconds) {
  if (seconds < 90) return say(el('span'), 'admin_knowledge_seconds', { n: Math.max(1, Math.round(seconds)) })
  if (seconds < 5400) return say(el('span'), 'admin_knowledge_minutes', { n: Math.round(seconds / 60) })
  return say(el('span'), 'admin_knowledge_hours', { n: Math.round(seconds / 3600) })
}

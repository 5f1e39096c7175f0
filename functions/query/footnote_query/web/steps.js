// The progress of a running turn: the current stage, and the time of each step.

import { el, say } from './dom.js'
import { knows } from './i18n.js'

export class StepList {
  #rows = new Map()

  constructor() {
    this.ended = [] // `{name, ms, status, out, stage, cost}`, as in a stored turn
    this.now = say(el('span', { class: 'now' }), 'starting')
    this.list = el('ol')
    this.element = el('details', { class: 'steps running' }, el('summary', {}, this.now), this.list)
  }

  begin(step) {
    this.#row(step)
    say(this.now, ...stageText(step.name, step.stage))
  }

  end({ name, ms, status, out, stage, cost = null }) {
    this.ended.push({ name, ms, status, out, stage, cost })
    const row = this.#row({ name, stage })
    row.append(say(el('span', { class: 'ms' }), 'ms', { ms: Math.round(ms) }))
    if (status !== 'ok') row.firstChild.after(say(el('em'), `was_${status}`))
  }

  /** Ends a turn without an answer; the steps so far stay visible. */
  finish() {
    this.element.classList.remove('running')
    this.element.hidden = this.#rows.size === 0
    say(this.now, 'steps', { n: this.#rows.size })
  }

  #row(step) {
    if (!this.#rows.has(step.name)) {
      this.#rows.set(step.name, el('li', {}, stepOf(step)))
      this.list.append(this.#rows.get(step.name))
    }
    return this.#rows.get(step.name)
  }
}

/** A step's stage as text, and its name as in traces. */
export const stepOf = ({ name, stage }) => el('span', {}, say(el('span'), ...stageText(name, stage)), ' ', el('code', {}, name))

/** → key and values. For an agent's tool call, `tool:<name>` or `tool:<name>#2` from the second call on, the tool's name. */
export function stageText(name, stage) {
  const [, tool] = name.split('#', 1)[0].split(':', 2)
  if (!tool) return [`stage_${stage}`]
  return knows(`tool_${tool}`) ? [`tool_${tool}`] : ['tool', { tool: tool.replace(/^mcp_/, '') }]
}

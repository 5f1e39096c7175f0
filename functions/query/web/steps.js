// What a turn is doing now, and what each step took and gave.

import { el, say } from './dom.js'
import { knows } from './i18n.js'

export class StepList {
  #rows = new Map()

  constructor() {
    this.ended = [] // `{name, ms, status, out, stage}`, as a stored turn has them
    this.now = say(el('span', { class: 'now' }), 'starting')
    this.list = el('ol')
    this.element = el('details', { class: 'steps running' }, el('summary', {}, this.now), this.list)
  }

  begin(step) {
    this.#row(step)
    sayStage(this.now, step.name, step.stage)
  }

  end({ name, ms, status, out, stage }) {
    this.ended.push({ name, ms, status, out, stage })
    const row = this.#row({ name, stage })
    row.append(say(el('span', { class: 'ms' }), 'ms', { ms: Math.round(ms) }))
    if (status !== 'ok') row.firstChild.after(say(el('em'), `was_${status}`))
  }

  /** The turn is over and has no answer: what was done until then stays. */
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

/** A step's stage in words, and its name, as traces have it. */
export const stepOf = ({ name, stage }) => el('span', {}, sayStage(el('span'), name, stage), ' ', el('code', {}, name))

/** Of an agent's tool, `tool:<its name>`, which one. A number follows the name from the second call on. */
function sayStage(node, name, stage) {
  const [, tool] = name.split('#', 1)[0].split(':', 2)
  if (!tool) return say(node, `stage_${stage}`)
  return knows(`tool_${tool}`) ? say(node, `tool_${tool}`) : say(node, 'tool', { tool: tool.replace(/^mcp_/, '') })
}

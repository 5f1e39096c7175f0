// What a turn is doing now, and what each step took and gave.

import { el, say } from './dom.js'
import { knows } from './i18n.js'

export class StepList {
  #rows = new Map()

  constructor() {
    this.ended = [] // `{name, ms, status, out}`, as a stored turn has them
    this.now = say(el('span', { class: 'now' }), 'starting')
    this.list = el('ol')
    this.element = el('details', { class: 'steps running' }, el('summary', {}, this.now), this.list)
  }

  begin(name) {
    this.#row(name)
    sayStep(this.now, name)
  }

  end({ name, ms, status, out }) {
    this.ended.push({ name, ms, status, out })
    const row = this.#row(name)
    row.append(say(el('span', { class: 'ms' }), 'ms', { ms: Math.round(ms) }))
    if (status !== 'ok') row.firstChild.after(say(el('em'), `was_${status}`))
  }

  /** The turn is over and has no answer: what was done until then stays. */
  finish() {
    this.element.classList.remove('running')
    this.element.hidden = this.#rows.size === 0
    say(this.now, 'steps', { n: this.#rows.size })
  }

  #row(name) {
    if (!this.#rows.has(name)) {
      this.#rows.set(name, el('li', {}, sayStep(el('span'), name)))
      this.list.append(this.#rows.get(name))
    }
    return this.#rows.get(name)
  }
}

/** An agent's steps are `round` and `tool:<its name>`, with `#<number>` from the second on. */
export function sayStep(node, name) {
  const [step, again] = name.split('#', 2)
  const [kind, tool] = step.split(':', 2)
  if (kind === 'round') return say(node, 'step_round', { n: Number(again ?? 1) })
  if (kind === 'tool') return knows(`step_tool_${tool}`) ? say(node, `step_tool_${tool}`) : say(node, 'step_tool', { tool: tool.replace(/^mcp_/, '') })
  if (knows(`step_${name}`)) return say(node, `step_${name}`)
  delete node.dataset.i18n
  node.textContent = name
  return node
}

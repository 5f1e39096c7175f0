// What is shown of a graph: the names with most connections, and what the passages say of each.

/** `graph`: as in GET /collections/{name}/graph. → `nodes`: {name, kind, neighbours}, at most `most`, those with most neighbours first,
 * none without one; `edges`: {ends: [source, target], said: [{text, passage}]}, one for each two names. */
export function mostConnected({ entities, relations }, most) {
  const edges = new Map()
  for (const { source, target, text, passage } of relations) {
    const key = JSON.stringify([source, target].sort())
    if (source === target) continue
    if (!edges.has(key)) edges.set(key, { ends: [source, target], said: [] })
    edges.get(key).said.push({ text, passage })
  }
  const all = [...edges.values()]
  const first = named(entities, all).slice(0, most).map(({ name }) => name)
  const kept = all.filter(({ ends }) => ends.every(name => first.includes(name)))
  return { nodes: named(entities, kept), edges: kept }
}

function named(entities, edges) {
  const count = ({ name }) => edges.filter(({ ends }) => ends.includes(name)).length
  const nodes = entities.map(({ name, kind }) => ({ name, kind, neighbours: count({ name }) }))
  return nodes.filter(({ neighbours }) => neighbours > 0).sort((a, b) => b.neighbours - a.neighbours)
}

/** What is said of a name, each sentence of a passage once. `order(passage)`: a number; the lowest first. */
export function saidOf(name, edges, order) {
  const said = edges.filter(({ ends }) => ends.includes(name)).flatMap(edge => edge.said)
  const once = new Map(said.map(each => [JSON.stringify([each.passage, each.text]), each]))
  return [...once.values()].sort((a, b) => order(a.passage) - order(b.passage))
}

/** Where a passage has this text, whatever the white space: [start, end] in code points; null if it has not. */
export function placeIn(content, text) {
  const words = text.trim().split(/\s+/).map(word => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  const found = new RegExp(words.join('\\s+')).exec(content)
  if (!found || !found[0]) return null
  const start = Array.from(content.slice(0, found.index)).length
  return [start, start + Array.from(found[0]).length]
}

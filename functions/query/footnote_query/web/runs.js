// Consecutive sentences of a paragraph or items of a list that cite the same passages share one badge, behind the last of them.

const BLOCK = 'p, li, td, th, h1, h2, h3, h4, h5, h6, blockquote, pre'
const SAID = /[\p{L}\p{N}]/u
const INTRODUCES = /[:：]\s*$/
const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })

/** `places`: each marker's element → its `source` and `which`; `keyOf(place)`: what markers that share a badge have in common, null = it
 * keeps its own. Removes the markers that another one stands for, also from `places`. → the last marker of each run → of each sentence of
 * the run its `text`, its `range`, and `which`, the index in the source's `bounds`. A sentence without a marker, or with a mark of the
 * check, ends a run. */
export function joinRuns(body, places, keyOf) {
  const joined = new Map()
  const removed = []
  for (const root of body.querySelectorAll('p, ul, ol')) {
    if (root.parentElement?.closest('li')) continue
    for (const run of runsIn(clustersIn(root, places, keyOf))) {
      const claims = run.map(cluster => ({ cluster, ...claimOf(cluster) }))
      for (const [sup, { source }] of run.at(-1).sups) {
        joined.set(sup, claims.map(({ cluster, text, range }) => ({ text, range, which: cluster.sups.find(([, place]) => place.source === source)[1].which })))
      }
      removed.push(...run.slice(0, -1).flatMap(({ sups }) => sups))
    }
  }
  for (const [sup] of removed) {
    places.delete(sup)
    sup.remove()
  }
  return joined
}

/** Markers that stand together, each with its place, and the texts before them since the markers before: `own` of their block, and `others`. */
function clustersIn(root, places, keyOf) {
  const clusters = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
  let texts = []
  while (walker.nextNode()) {
    const node = walker.currentNode
    const block = node.parentElement.closest(BLOCK)
    if (node.localName === 'sup') {
      if (texts.length > 0 || clusters.at(-1)?.block !== block) {
        clusters.push({ block, own: texts.filter(text => text.block === block), others: texts.filter(text => text.block !== block), sups: [], keys: new Set() })
        texts = []
      }
      const place = places.get(node)
      clusters.at(-1).keys.add(place ? keyOf(place) : null)
      clusters.at(-1).sups.push([node, place])
    } else if (node.nodeType === Node.TEXT_NODE && SAID.test(node.data) && !node.parentElement.closest('sup, .sr-only')) {
      texts.push({ node, block })
    }
  }
  return clusters
}

/** The longest rows of two or more clusters that may share their markers. */
function runsIn(clusters) {
  const runs = []
  for (const cluster of clusters) {
    if (runs.length > 0 && follows(runs.at(-1).at(-1), cluster)) runs.at(-1).push(cluster)
    else runs.push([cluster])
  }
  return runs.filter(({ length }) => length > 1)
}

/** Whether a cluster has the keys of the one before it, and nothing is between them that cites nothing, but for what introduces it. */
function follows(before, { block, own, others, keys }) {
  if (keys.has(null) || keys.size !== before.keys.size || [...keys].some(key => !before.keys.has(key))) return false
  if (own.length === 0 || before.own.length === 0) return false
  if (block === before.block) return sentencesIn(own).length === 1
  const between = new Set(others.map(text => text.block))
  return [...between].every(each => each !== before.block && INTRODUCES.test(textOf(others.filter(text => text.block === each))))
}

const textOf = texts => texts.map(({ node }) => node.data).join('').replace(/\s/g, ' ')
const sentencesIn = texts => [...segmenter.segment(textOf(texts))].filter(({ segment }) => SAID.test(segment))

/** What the markers of a cluster stand behind: a list's item, or a sentence. The range is static, because others change when an answer moves into
 * the page. */
function claimOf({ block, own }) {
  const text = textOf(own)
  const from = block.closest('li') ? 0 : sentencesIn(own).at(-1).index
  let startOffset = from + text.slice(from).search(SAID)
  const claim = text.slice(startOffset).trim()
  const first = own.find(({ node: { data } }) => startOffset < data.length || (startOffset -= data.length) < 0)
  const { node: last } = own.at(-1)
  return { text: claim, range: new StaticRange({ startContainer: first.node, startOffset, endContainer: last, endOffset: last.data.length }) }
}

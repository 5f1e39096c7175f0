import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './page.mjs'

const { htmlOf } = await load('markup.js')
const N = 20_000
const lines = (count, line) => Array.from({ length: count }, (_, at) => line(at)).join('\n')
const SHAPES = [
  '- '.repeat(N) + 'a', '* '.repeat(N) + 'a', '1. '.repeat(N) + 'a', '> '.repeat(N) + 'a', '>'.repeat(N), '> - '.repeat(N), '1. > * '.repeat(N),
  '-\t'.repeat(N) + 'a', lines(300, depth => '  '.repeat(depth) + '- a'), lines(200, depth => '>'.repeat(depth) + ' a'),
  '['.repeat(N), '['.repeat(N) + 'a' + '](b)'.repeat(N), '!['.repeat(N), '[a]('.repeat(N), '[a]['.repeat(N), '*'.repeat(N) + 'a' + '*'.repeat(N),
  '*a **b '.repeat(N), '**a *b'.repeat(N), '_a '.repeat(N), 'a**b'.repeat(N) + 'c* '.repeat(N), 'b' + '~~'.repeat(N) + 'a' + '~~'.repeat(N),
  '`a``'.repeat(N), '$$'.repeat(N), '\\['.repeat(N), '\n\\[a'.repeat(N), '$a=b'.repeat(N), '<'.repeat(N), '<div>'.repeat(N), 'a@'.repeat(N),
  'a.'.repeat(N) + '@', '!'.repeat(N), '*-'.repeat(N), '|'.repeat(2000) + '\n' + '|-'.repeat(2000) + '\n' + '|\n'.repeat(2900), 'a\n'.repeat(N),
  '- a\n'.repeat(N), ' '.repeat(N) + 'a', `[a]: http://${'b'.repeat(N)}\n\n` + '[a] '.repeat(5000), '```\n'.repeat(N), 'a'.repeat(200_000),
]
const SIGNS = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
const textOf = html => html.replace(/<[^>]*>/g, '').replace(/&[a-z#0-9]+;/g, sign => SIGNS[sign]).trim()
const count = (html, tag) => html.split(`<${tag}>`).length - 1

function depthOf(html) {
  let depth = 0
  let deepest = 0
  for (const [, end] of html.matchAll(/<(\/?)(?!br\b|hr\b)[a-z]\w*[^>]*>/g)) deepest = Math.max(deepest, (depth += end ? -1 : 1))
  return deepest
}

for (const shape of SHAPES) {
  test(`what is made of an answer is bounded whatever its shape: ${JSON.stringify(shape.slice(0, 20))}`, { timeout: 20_000 }, () => {
    const text = `It is **so**.\n\n${shape}\n\nSafe words here.`
    const html = htmlOf(text)
    assert.ok(depthOf(html) < 85, `${depthOf(html)} elements within each other`)
    assert.ok(html.length / text.length < 25, `${html.length / text.length} times as long`)
    assert.match(textOf(html), /^It is (?:\*\*)?so/)
    assert.match(textOf(html).slice(-30), /Safe words here\./)
  })
}

for (const [what, text, tag, most] of [
  ['a text that is too long', `${'a '.repeat(50_000)}\n\n**b**`, 'strong', 0],
  ['a text of too many lines', `${'a\n'.repeat(3000)}\n**b**`, 'strong', 0],
  ['a paragraph with too many signs', '*a* '.repeat(800), 'em', 0],
  ['the paragraphs after those that were too much together', lines(8, () => `${'*a* '.repeat(400)}\n`), 'em', 3200 - 400],
  ['a table with too many cells', `${'|a'.repeat(200)}|\n${'|-'.repeat(200)}|\n${'|b\n'.repeat(150)}`, 'td', 0],
]) {
  test(`${what} stays as it was written`, () => assert.ok(count(htmlOf(text), tag) <= most))
}

test('a definition of a link that is too long is none', () => {
  const [short, long] = [900, 1100].map(length => htmlOf(`[a]: http://${'b'.repeat(length)}\n\n[a]`))
  assert.deepEqual([short.includes('<a href'), long.includes('>a</a>')], [true, false])
})

test('what is beside a deep part is read as it should be', () => {
  const html = htmlOf(`A **bold** \`word\`.\n\n${'> '.repeat(40)}deep **not bold**\n\n| a | b |\n| - | - |\n| 1 | 2 |\n`)
  assert.deepEqual([count(html, 'strong'), count(html, 'blockquote'), count(html, 'td')], [1, 24, 2])
  assert.ok(textOf(html).includes('> > deep **not bold**'))
})

test('HTML and pictures in an answer are quoted text', () => {
  assert.equal(htmlOf('<b onclick="a()">Bold</b> ![spy](https://spy.example/a.png "title")'), '<p>&lt;b onclick=&quot;a()&quot;&gt;Bold&lt;/b&gt; spy</p>\n')
  assert.equal(htmlOf('<script>alert(1)</script>'), '&lt;script&gt;alert(1)&lt;/script&gt;')
})

test('one tilde is a range, two delete', () => {
  assert.equal(htmlOf('10~20 and 30~40, ~~not~~ this'), '<p>10~20 and 30~40, <del>not</del> this</p>\n')
})

const F = '\uE002'
const E = '\uE003'

test('formulas are found, prices and code are left alone', () => {
  for (const [text, formulas] of [
    ['Leave costs \\(c = \\frac{d}{260}\\), with $d_1^2$ and $x$, not $5 and $10, nor `$a_1$`.', ['i\\(c = \\frac{d}{260}\\)', 'i$d_1^2$', 'i$x$']],
    ['Sum:\n\n$$\n\\sum_{i=1}^{n} i\n$$\n\nend', ['d$$\n\\sum_{i=1}^{n} i\n$$']],
    ['\\[a^2\\] beside', ['d\\[a^2\\]']],
    ['It costs $ 5_0$, $a_0 $ and $a_1$2.', []],
    ['| Cost |\n| --- |\n| $1_000$ |', ['i$1_000$']],
    ['Not TeX: $$\\nothing{$$', ['d$$\\nothing{$$']],
  ]) {
    const found = [...htmlOf(text).matchAll(new RegExp(`<code>${F}([^${E}]*)${E}</code>`, 'g'))].map(([, formula]) => formula)
    assert.deepEqual(found, formulas, text)
  }
})

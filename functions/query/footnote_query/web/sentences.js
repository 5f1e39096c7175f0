// Translates what the server says in English, such as why a file cannot be read and what to do.

const END = /(?<=[.!?]) (?=\S)/
const NUMBER = /^(?:\d{1,3}(?:,\d{3})+|\d+\.\d+)$/

/** `catalogue`: English → the page's language. `{}` stands for what the server inserted, in the same order; a translation in another order
    has `{1}`, `{2}`, … `number(value, digits)` writes numbers. → text → the text in the page's language; sentences that are not in the
    catalogue stay English. */
export function translator(catalogue, number) {
  const templates = Object.keys(catalogue).filter(key => key.includes('{}')).map(templateOf).sort((one, other) => other.said - one.said)

  function sentence(text) {
    if (Object.hasOwn(catalogue, text)) return catalogue[text]
    for (const { key, pattern } of templates) {
      const values = pattern.exec(text)?.slice(1).map(value => (NUMBER.test(value) ? localNumber(value) : translate(value)))
      if (values) return filled(catalogue[key], values)
    }
    return null
  }

  function translate(text) {
    const pieces = text.split(END)
    const said = []
    for (let at = 0; at < pieces.length;) {
      let [end, found] = [at + 1, sentence(pieces[at])]
      while (found === null && end < pieces.length) found = sentence(pieces.slice(at, (end += 1)).join(' ')) // the end is within a value
      said.push(found ?? pieces[at])
      at = found === null ? at + 1 : end
    }
    return said.join(' ')
  }

  const localNumber = value => number(Number(value.replaceAll(',', '')), value.split('.')[1]?.length)
  return translate
}

/** `said`: length of what is the same in all sentences of the template; that with most fits best. */
function templateOf(key) {
  const parts = key.split('{}')
  return { key, said: parts.join('').length, pattern: new RegExp(`^${parts.map(escaped).join('(.+?)')}$`, 's') }
}

const escaped = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function filled(translation, values) {
  let next = 0
  return translation.replace(/\{(\d?)\}/g, (_, place) => values[place ? place - 1 : next++])
}

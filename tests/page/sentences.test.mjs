import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './page.mjs'

const { loadTranslations, setLanguage, translated } = await load('i18n.js')
const CATALOGUES = ['reasons', 'sources', 'backends']

const filled = (text, values, next = 0) => text.replace(/\{(\d?)\}/g, (_, place) => values[place ? place - 1 : next++])

for (const language of ['de', 'ko']) {
  test(`every sentence is translated with what the server inserts: ${language}`, async () => {
    setLanguage(language)
    await loadTranslations()
    const parts = await Promise.all(CATALOGUES.map(name => load(`i18n/${language}.${name}.js`)))
    const sentences = parts.flatMap(part => Object.entries(part.default))
    assert.ok(sentences.length > 400)
    const values = ['7', '8', '9', '10', '11', '12']
    for (const [text, translation] of sentences) assert.equal(translated(filled(text, values)), filled(translation, values))
  })
}

test('several sentences, numbers and what has no translation are shown as well as possible', async () => {
  setLanguage('de')
  await loadTranslations()
  const wanted = {
    'Only the first 10,000,000 characters were read. Hidden sheets were left out: 2.':
      'Nur die ersten 10.000.000 Zeichen wurden gelesen. Ausgelassene verborgene Tabellenblätter: 2.',
    'The file has 51.5 MB; 50 MB are allowed. Split it.': 'Die Datei hat 51,5 MB, erlaubt sind 50 MB. Teilen Sie sie auf.',
    'Cut along its headings and paragraphs, not by meaning: it is too long for that.':
      'Nach Überschriften und Absätzen zerlegt, nicht nach Bedeutung: Die Datei ist dafür zu lang.',
    'The key of this space is A. B. Upper and lower case count.': 'Der Schlüssel dieses Bereichs ist A. B. Groß- und Kleinschreibung zählen.',
    'The moon is full. Try again later.': 'The moon is full. Versuchen Sie es später erneut.',
    constructor: 'constructor',
  }
  for (const [text, translation] of Object.entries(wanted)) assert.equal(translated(text), translation)
})

// The answer as Markdown, with its markers as [n] and the sources listed below.

import { label } from './dom.js'
import { t } from './i18n.js'
import { placeMarkers } from './markdown.js'

export async function copyAnswer({ answer, citations }, button) {
  const sources = citations.map(({ number, title, page }) => `[${number}] ${title}${page == null ? '' : `, ${t('page_short', { page: String(page) })}`}`)
  await write([placeMarkers(answer, citations, number => `[${number}]`), ...(sources.length ? ['', ...sources] : [])].join('\n'))
  label(button, 'copied').classList.add('copied')
  setTimeout(() => label(button, 'copy').classList.remove('copied'), 2000)
}

/** The clipboard's API is there on https and on localhost only; elsewhere the old command does it. */
async function write(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

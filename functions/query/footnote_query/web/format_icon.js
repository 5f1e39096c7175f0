// What was listed of documents and answers do not tell: their formats, shown as icons, and the names of their files.

import { SHEETS, SLIDES } from './text_view.js'

const SVG = 'http://www.w3.org/2000/svg'
const PAPER = 'M5 2.5h6.5L15 6v11.5H5zM11.5 2.5V6H15'
const PATHS = {
  file: PAPER,
  pdf: `${PAPER}M8.2 15V9.5h2a1.6 1.6 0 0 1 0 3.2h-2`,
  word: `${PAPER}M7 9.5l1.5 5 1.5-4 1.5 4 1.5-5`,
  text: `${PAPER}M7.5 10h5M7.5 13.5h5`,
  sheet: 'M3 4h14v12H3zM3 8h14M3 12h14M8 4v12',
  slides: 'M3 4h14v9H3zM10 13v4M7 17h6',
  web: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM3 10h14M10 3c-4 4-4 10 0 14 4-4 4-10 0-14',
  mail: 'M3 5h14v10H3zM3 5.5l7 5.5 7-5.5',
  code: 'M7 6l-4 4 4 4M13 6l4 4-4 4',
}
const kinds = (kind, ...formats) => formats.map(format => [format, kind])
const KINDS = new Map([
  ...kinds('pdf', 'pdf'), ...kinds('sheet', 'csv', ...SHEETS), ...kinds('slides', ...SLIDES), ...kinds('web', 'html', 'confluence'),
  ...kinds('word', 'docx', 'doc', 'odt', 'fodt', 'sxw', 'rtf', 'wordml', 'wpd', 'hwp', 'hwpx', 'hwp97'),
  ...kinds('text', 'text', 'markdown', 'rst', 'epub', 'subtitles'),
  ...kinds('mail', 'eml', 'mbox', 'msg'), ...kinds('code', 'code', 'json', 'yaml', 'xml'),
])
const formats = new Map() // doc_id → format of the documents that were listed
const fileNames = new Map() // the same

/** Keeps the formats and file names of listed documents, and corrects the icons shown. */
export function learnDocuments(documents) {
  for (const { doc_id: id, file_name: name } of documents) fileNames.set(id, name)
  const news = documents.filter(({ doc_id: id, format }) => format && formats.get(id) !== format)
  for (const { doc_id: id, format } of news) formats.set(id, format)
  if (news.length === 0) return
  for (const icon of document.querySelectorAll('svg[data-doc]')) if (formats.has(icon.dataset.doc)) draw(icon, formats.get(icon.dataset.doc))
}

/** The name of a document's file, where it was listed and the title does not say it; else ''. */
export function fileNameOf({ doc_id: id, title }) {
  const name = fileNames.get(id) ?? ''
  return title.includes(name) ? '' : name
}

/** A decorative icon for a document, citation or hit; of an unknown format a blank sheet of paper. `unit`: of a citation's `page`. */
export function formatIcon({ doc_id: id, format, unit }) {
  const icon = document.createElementNS(SVG, 'svg')
  icon.append(document.createElementNS(SVG, 'path'))
  for (const [name, value] of Object.entries({ class: 'format', viewBox: '0 0 20 20', 'aria-hidden': 'true', 'data-doc': id })) icon.setAttribute(name, value)
  draw(icon, format || formats.get(id) || { sheet: 'xlsx', slide: 'pptx' }[unit])
  return icon
}

function draw(icon, format) {
  const kind = KINDS.get(format) ?? 'file'
  icon.dataset.kind = kind
  icon.firstChild.setAttribute('d', PATHS[kind])
}

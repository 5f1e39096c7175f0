// Feedback: what people said of the answers, the bad ones first, and the golden cases made of it, as in the dialog on the first page.

import { call } from '../api.js'
import { feedbackPanel } from '../feedback_panel.js'
import { loadStyle } from '../style_sheet.js'

const styled = Promise.all(['web/views.css', 'web/feedback.css'].map(loadStyle))

export async function show() {
  const [{ data: collections }] = await Promise.all([call('GET', '/collections'), styled])
  const { tabs, panel, open } = feedbackPanel({ title: 'title', rating: 'down' })
  open(collections.map(({ name }) => name))
  return [tabs, panel]
}

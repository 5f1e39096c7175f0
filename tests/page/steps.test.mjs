import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from './page.mjs'

const { stageText } = await load('steps.js')

for (const [name, stage, text] of [
  ['fuse', 'rank', ['stage_rank']],
  ['a_new_step', 'rank', ['stage_rank']],
  ['round#2', 'answer', ['stage_answer']],
  ['tool:search_documents', 'answer', ['tool_search_documents']],
  ['tool:search_documents#2', 'answer', ['tool_search_documents']],
  ['tool:mcp_add', 'answer', ['tool', { tool: 'add' }]],
]) {
  test(`a step is shown by its stage, a tool by its name: ${name}`, () => assert.deepEqual(stageText(name, stage), text))
}

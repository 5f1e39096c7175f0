import assert from 'node:assert/strict'
import { test } from 'node:test'

process.env.TZ = 'Europe/Berlin'
import { load } from './page.mjs'

const { grouped, matching } = await load('conversation_groups.js')
const seconds = (...date) => new Date(...date).getTime() / 1000
const names = rooms => rooms.map(({ title }) => title)

test('conversations are grouped by the day of their last question, the pinned ones first', () => {
  const now = new Date(2026, 2, 30, 9) // the day after a night that lacks an hour
  const rooms = [
    { title: 'today', updated_at: seconds(2026, 2, 30) },
    { title: 'late yesterday', updated_at: seconds(2026, 2, 29, 23, 59) },
    { title: 'early yesterday', updated_at: seconds(2026, 2, 29, 0, 0) },
    { title: 'the day before', updated_at: seconds(2026, 2, 28, 23, 59) },
    { title: 'a week ago', updated_at: seconds(2026, 2, 24) },
    { title: 'older', updated_at: seconds(2026, 2, 22) },
    { title: 'old, but pinned', updated_at: seconds(2020, 0, 1), pinned: true },
  ]
  assert.deepEqual(grouped(rooms, now).map(([key, found]) => [key, names(found)]), [
    ['pinned', ['old, but pinned']], ['today', ['today']], ['yesterday', ['late yesterday', 'early yesterday']],
    ['week', ['the day before', 'a week ago']], ['older', ['older']],
  ])
  assert.deepEqual(grouped([], now), [])
})

test('a search by title finds every word in any order, however it is written', () => {
  const rooms = ['When does the museum open?', 'Where is the museum?', 'U\u0308bersicht der Brücken'].map(title => ({ title }))
  assert.deepEqual(names(matching(rooms, 'MUSEUM when')), ['When does the museum open?'])
  assert.deepEqual(names(matching(rooms, '  übersicht ')), ['U\u0308bersicht der Brücken'])
  assert.deepEqual(names(matching(rooms, 'castle')), [])
  assert.equal(matching(rooms, '').length, 3)
})

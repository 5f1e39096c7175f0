// One conversation of the list: its link, and the buttons that pin, rename and delete it.

import { addressOf } from './address.js'
import { confirmDelete } from './confirm.js'
import { el, label, showAgo } from './dom.js'

const LONGEST_NAME = 120

/** `act`: `pin(room, pinned)`, `rename(room, title, showError)`, `remove(room, showError)` and `editing(on)`, called while a name is edited.
 * A conversation that is `unsaved` can only be deleted. */
export function conversationRow({ room_id: room, title, updated_at: updated, pinned, unsaved }, isCurrent, act) {
  const link = el('a', { href: addressOf(room), title, 'aria-current': isCurrent && 'page' }, el('span', { class: 'title' }, title), showAgo(el('time'), updated))
  const button = (icon, key, onclick) => label(el('button', { type: 'button', class: `quiet icon ${icon}`, onclick }), key, { title })
  const pin = button('pin', 'conversation_pin', () => act.pin(room, !pinned))
  pin.setAttribute('aria-pressed', String(Boolean(pinned)))
  const pencil = button('pencil', 'conversation_rename', () => editName(row, link, title, act, room))
  const bin = button('bin', 'conversation_delete', () => confirmDelete(row, bin, 'conversation_delete_question', showError => act.remove(room, showError)))
  const row = el('li', { 'data-room': room }, link, el('div', { class: 'row-actions' }, ...(unsaved ? [] : [pin, pencil]), bin))
  return row
}

/** Enter or leaving the field saves, Escape keeps the old name, an empty field is the first question again. */
function editName(row, link, title, act, room) {
  const field = label(el('input', { maxlength: LONGEST_NAME, enterkeyhint: 'done' }), 'conversation_name')
  const problem = el('p', { class: 'bad', role: 'alert' })
  const form = el('form', { class: 'rename', novalidate: true }, field, problem)
  let over = false
  const end = () => {
    over = true
    act.editing(false)
  }
  const save = async () => {
    const name = field.value.trim()
    if (over || name === title) return end()
    over = true // until it failed: Enter also takes the focus
    await act.rename(room, name || null, message => {
      over = false
      problem.textContent = message
    })
  }
  field.value = title
  form.addEventListener('submit', event => {
    event.preventDefault()
    save()
  })
  field.addEventListener('blur', () => !over && save())
  field.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || event.isComposing) return
    event.preventDefault() // the drawer stays open
    event.stopPropagation()
    end()
  })
  act.editing(true)
  row.replaceChildren(form)
  field.select()
}

// The form that connects a language model, loaded when it is first opened.

/** Opens the form. `changed()` is called after a model was saved or removed. */
export async function connect(changed) {
  const { openForm } = await import('../connect_model.js')
  await openForm(changed)
}

// What the page remembers between visits. A browser may forbid storage: then it remembers nothing.

export function recall(name) {
  try {
    return localStorage.getItem(`footnote.${name}`)
  } catch {
    return null
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(`footnote.${name}`, value)
  } catch {
    // Storage is off or full; the choice lasts until the page is closed.
  }
}

// Style that the first page does not need.

/** Resolves when the style sheet at `href` is in place. */
export function loadStyle(href) {
  const style = Object.assign(document.createElement('link'), { rel: 'stylesheet', href })
  const loaded = new Promise((resolve, reject) => {
    style.onload = resolve
    style.onerror = () => {
      style.remove()
      reject(new Error(href))
    }
  })
  document.head.append(style)
  return loaded
}

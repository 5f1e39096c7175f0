// Sets the remembered theme before the page is drawn, so it is no module. `system` (or nothing) follows the device.
try {
  const theme = localStorage.getItem('footnote.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is disabled; the device decides.
}

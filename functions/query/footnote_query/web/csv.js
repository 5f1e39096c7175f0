// CSV export for spreadsheets.

/** Rows of values → CSV (RFC 4180) with a byte order mark for UTF-8. Text that a spreadsheet would run as a formula is escaped. */
export function toCsv(rows) {
  const field = value => {
    const text = String(value ?? '')
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  return `\ufeff${rows.map(row => `${row.map(field).join(',')}\r\n`).join('')}`
}

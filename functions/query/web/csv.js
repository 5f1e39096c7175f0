// A table as a file for spreadsheets.

/** Rows of values → CSV (RFC 4180), with the mark by which spreadsheets know UTF-8. A text that they would run as a formula is quoted. */
export function toCsv(rows) {
  const field = value => {
    const text = String(value ?? '')
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  return `\ufeff${rows.map(row => `${row.map(field).join(',')}\r\n`).join('')}`
}

// The difference of two texts, line by line.

/** → [sign, line]: ' ' in both, '-' only in `before`, '+' only in `after`. By the longest common subsequence of lines. */
export function diffLines(before, after) {
  const [a, b] = [before.split('\n'), after.split('\n')]
  const best = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1)) // length of the longest one from these lines on
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) best[i][j] = a[i] === b[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1])
  }
  const lines = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push([' ', a[i]])
      i += 1
      j += 1
    } else if (j === b.length || (i < a.length && best[i + 1][j] >= best[i][j + 1])) {
      lines.push(['-', a[i]])
      i += 1
    } else {
      lines.push(['+', b[j]])
      j += 1
    }
  }
  return lines
}

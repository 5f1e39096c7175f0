// Server-sent events from a response's body: `data:` lines hold JSON, an empty line ends an event, `:` starts a comment.

/** A ReadableStream of bytes → the parsed objects. An event cut off at the end of the stream is dropped. */
export async function* parseEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  let data = []
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const lines = (rest + value).split('\n')
      rest = lines.pop()
      for (const line of lines.map(line => line.replace(/\r$/, ''))) {
        if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
        if (line !== '' || data.length === 0) continue
        yield JSON.parse(data.join('\n'))
        data = []
      }
    }
  } finally {
    reader.cancel().catch(() => {}) // the consumer may leave early; the connection is then closed
  }
}

// Server-sent events from a response's body: `data:` lines hold JSON, `id:` names an event, an empty line ends it, `:` starts a comment.

/** A ReadableStream of bytes → `{id, event}`; `id`: the last id received, null before the first. `onBytes()`: called for every chunk, comments too.
    An event cut off at the end of the stream is dropped. */
export async function* parseEvents(body, onBytes = () => {}) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let id = null
  let rest = ''
  let data = []
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      onBytes()
      const lines = (rest + value).split('\n')
      rest = lines.pop()
      for (const line of lines.map(line => line.replace(/\r$/, ''))) {
        if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
        else if (line.startsWith('id:')) id = line.slice(3).trim()
        if (line !== '' || data.length === 0) continue
        yield { id, event: JSON.parse(data.join('\n')) }
        data = []
      }
    }
  } finally {
    reader.cancel().catch(() => {}) // closes the connection if the consumer stops early
  }
}

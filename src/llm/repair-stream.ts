import type { Fetch } from '../lib/egress.ts'
import { mapBytes } from '../lib/map-bytes.ts'

/** A chunk of a stream, as far as servers get it wrong. */
interface Chunk {
  choices?: { delta?: { tool_calls?: { function?: { arguments?: unknown } }[] } }[] | null
}

/** An event whose calls have their arguments as text: some servers send them as an object. */
function repaired(line: string): string {
  if (!line.startsWith('data:') || !line.includes('"tool_calls"')) return line
  let chunk: Chunk
  try {
    chunk = JSON.parse(line.slice('data:'.length))
  } catch {
    return line
  }
  for (const call of chunk.choices?.flatMap(({ delta }) => delta?.tool_calls ?? []) ?? []) {
    const called = call.function
    if (called && typeof called.arguments === 'object') called.arguments = JSON.stringify(called.arguments ?? {})
  }
  return `data: ${JSON.stringify(chunk)}`
}

/** Repairs the lines of a stream, which may be cut anywhere. */
function repairLines(source: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let rest = ''
  return mapBytes(
    source,
    (chunk) => {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop()!
      return encoder.encode(lines.map((line) => `${repaired(line)}\n`).join(''))
    },
    () => encoder.encode(repaired(rest + decoder.decode())),
  )
}

/** The status of an error that came with the status 200. */
function statusOf(text: string): number | undefined {
  try {
    const { error } = JSON.parse(text)
    if (!error) return undefined
    return error.code >= 400 && error.code < 600 ? error.code : 500
  } catch {
    return undefined
  }
}

/**
 * `fetch` for servers that speak OpenAI's chat completions with mistakes: arguments of calls are always text, and an error as
 * JSON with the status 200 has the status of an error.
 */
export const repairing =
  (fetch: Fetch): Fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    if (!response.ok || !response.body) return response
    const { status, headers } = response
    if (!headers.get('content-type')?.includes('application/json')) {
      return new Response(repairLines(response.body), { status, headers: [...headers] })
    }
    const text = await response.text()
    return new Response(text, { status: statusOf(text) ?? status, headers: [...headers] })
  }

import { HttpError } from '@oazapfts/runtime'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { fetchWithKey } from './client.ts'
import type { StreamEvent } from './generated.ts'
import { SERVER_PATH } from './place.ts'

/** Sends a request whose response is a stream of events, and yields them as they come. Throws an HttpError for a problem. */
export async function* streamEvents(path: string, body: unknown, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const response = await fetchWithKey(`${SERVER_PATH}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
  if (!response.ok || !response.body) {
    throw new HttpError(response.status, await response.json().catch(() => undefined), response.headers)
  }
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  const reader = events.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (next.value.data === '[DONE]') return
      yield JSON.parse(next.value.data) as StreamEvent
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}

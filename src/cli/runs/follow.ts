import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { StreamEvent } from '../../resources/messages/schema.ts'
import { type Client, path } from '../client.ts'
import { ConnectionLost } from '../server-error.ts'

const ATTEMPTS = 6
const FIRST_PAUSE_MS = 250

/**
 * The events of a stream, each once. Where the connection breaks off, the run goes on at the server: its events are read from
 * there on, after growing pauses. Throws a ConnectionLost once six attempts in a row have failed.
 */
async function* read(client: Client, source: AsyncIterable<StreamEvent>, run?: string): AsyncGenerator<StreamEvent> {
  let events = source
  let id = run
  let last = 0
  for (let attempt = 1; ; attempt++) {
    try {
      for await (const event of events) {
        const number = event.seq_id as number | undefined
        if (number !== undefined && number <= last) continue
        last = number ?? last
        id ??= event.run_id as string | undefined
        attempt = 1
        yield event
      }
      return
    } catch (error) {
      if (!(error instanceof ConnectionLost) || id === undefined || attempt === ATTEMPTS) throw error
      await setTimeout(FIRST_PAUSE_MS * 2 ** (attempt - 1))
      events = client.events(path`/v1/runs/${id}/stream`, { body: { starting_after: last } })
    }
  }
}

/** Sends messages, once, and reads the events of their run. `route` is where messages go. */
export const sendAndFollow = (client: Client, route: string, body: object) =>
  read(
    client,
    client.events(route, {
      body: { ...body, streaming: true, stream_tokens: true, background: true },
      headers: { 'idempotency-key': randomUUID() },
    }),
  )

/** The events of a run, from the first that the server still has. */
export const followRun = (client: Client, id: string) =>
  read(client, client.events(path`/v1/runs/${id}/stream`, { body: {} }), id)

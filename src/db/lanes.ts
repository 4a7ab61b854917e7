import type { Socket } from 'node:net'
import type { CustomTypesConfig, Pool, PoolClient } from 'pg'

/** How statements share connections. */
export interface Sharing {
  /** As many connections at once. */
  most: number
  /** As many connections as are used before two statements share one. */
  few: number
  /** As many statements as each of those takes before more connections are used. */
  queue: number
  /** A connection that is silent for so long does something slow: what comes meanwhile goes by another. */
  silenceMs: number
  /** After so many statements a connection takes no more, so that who waits for one of its own gets it. */
  turns?: number
}

/** An open connection of a lane. */
interface Connection {
  client: PoolClient
  /** Sends what is written in this turn of the event loop at its end. */
  gather(): void
  /** Gives it back. */
  release(): void
}

/** A connection that several statements share. */
interface Lane {
  connection: Promise<Connection>
  inFlight: number
  /** How many it has taken since it was opened. */
  taken: number
  /** When it was last heard from, or given something to do: as `performance.now()`. */
  heard: number
}

/** Lets what is written to a connection in one turn of the event loop go out together, at the turn's end. */
function gatherer(client: PoolClient): () => void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  let gathering = false
  return () => {
    if (gathering) return
    gathering = true
    stream.cork()
    setImmediate(() => {
      gathering = false
      stream.uncork()
    })
  }
}

/**
 * Sends single statements without waiting for the answers of those before (pipelining, PostgreSQL documentation §53.2.4).
 * Each is its own transaction: the failure of one leaves the others alone.
 *
 * Quick statements share a few connections: their processes at the server then find the next one waiting, and needn't be
 * woken for each. Behind slow ones and under load more connections are used.
 */
export function createLanes(pool: Pool, { most, few, queue, silenceMs, turns }: Sharing) {
  const lanes = new Set<Lane>()

  async function connect(lane: Lane): Promise<Connection> {
    const client = await pool.connect()
    let broken: Error | undefined
    // The statements in flight get the error as well; unheard, it would end the process.
    const fail = (error: Error) => {
      broken = error
      lanes.delete(lane)
    }
    client.on('error', fail)
    return {
      client,
      gather: gatherer(client),
      release() {
        client.removeListener('error', fail)
        client.release(broken)
      },
    }
  }

  function open(now: number): Lane {
    const lane = { inFlight: 0, taken: 0, heard: now } as Lane
    lane.connection = connect(lane)
    lanes.add(lane)
    return lane
  }

  /** The lane to take, or undefined when another one is to be opened: of those that answer, the one with the least to do. */
  function free(now: number): Lane | undefined {
    const byLoad = [...lanes].sort((one, other) => one.inFlight - other.inFlight)
    const quick = byLoad.find(({ heard }) => now - heard < silenceMs)
    if (lanes.size >= most) return quick ?? byLoad[0]
    return quick && quick.inFlight < (lanes.size < few ? 1 : queue) ? quick : undefined
  }

  /** Whether a connection was had or not, the last one to leave closes the lane. */
  function close(lane: Lane): void {
    lanes.delete(lane)
    lane.connection.then(
      ({ release }) => release(),
      () => {},
    )
  }

  /** The rows of one statement, its values read by `types` if given. */
  return async function query<Row>(
    text: string,
    values: readonly unknown[],
    types?: CustomTypesConfig,
  ): Promise<Row[]> {
    const now = performance.now()
    const lane = free(now) ?? open(now)
    if (lane.inFlight++ === 0) lane.heard = now
    if (++lane.taken === turns) lanes.delete(lane)
    try {
      const { client, gather } = await lane.connection
      gather()
      return (await client.query({ text, values: values as unknown[], types })).rows as Row[]
    } finally {
      lane.heard = performance.now()
      if (--lane.inFlight === 0) close(lane)
    }
  }
}

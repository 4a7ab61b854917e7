import type { Socket } from 'node:net'
import type { Pool, PoolClient } from 'pg'

/** A connection that several statements share. */
interface Lane {
  client: PoolClient
  inFlight: number
  /** How many it has taken since it was opened. */
  taken: number
  /** When it was last heard from, or given something to do: as `performance.now()`. */
  heard: number
  /** Sends what is written in this turn of the event loop at its end. */
  gather(): void
  /** Gives the connection back. */
  close(): void
}

/** As many connections as quick statements share. */
const FEW = 2

/** As many statements as each of those takes before more are used. */
const QUEUE = 16

/** A connection that is silent for so long does something slow: what comes meanwhile goes by another. */
const SILENCE_MS = 5

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
 * Quick statements share two connections: their processes at the server then find the next one waiting, and needn't be
 * woken for each. Behind slow ones and under load more are used, `most` of the pool's at once; the others are for whoever
 * needs one alone. After `turns` statements a connection takes no more, so that who waits for it gets it.
 */
export function createLanes(pool: Pool, most: number, turns = Number.POSITIVE_INFINITY) {
  const lanes = new Set<Lane>()
  const opening = new Set<Promise<Lane>>()

  async function open(): Promise<Lane> {
    const client = await pool.connect()
    let broken: Error | undefined
    const lane: Lane = {
      client,
      inFlight: 0,
      taken: 0,
      heard: performance.now(),
      gather: gatherer(client),
      close() {
        lanes.delete(lane)
        client.removeListener('error', fail)
        client.release(broken)
      },
    }
    // The statements in flight get the error as well; unheard, it would end the process.
    const fail = (error: Error) => {
      broken = error
      lanes.delete(lane)
    }
    client.on('error', fail)
    lanes.add(lane)
    return lane
  }

  /** One more lane. Beyond the first two, all who ask while one is being opened get the same. */
  function another(): Promise<Lane> {
    const [shared] = opening
    if (shared && lanes.size + opening.size >= Math.min(FEW, most)) return shared
    const lane = open().finally(() => opening.delete(lane))
    opening.add(lane)
    return lane
  }

  /** The lane to take, or undefined when another one is to be opened: of those that answer, the one with the least to do. */
  function free(now: number): Lane | undefined {
    const byLoad = [...lanes].sort((one, other) => one.inFlight - other.inFlight)
    const quick = byLoad.find(({ heard }) => now - heard < SILENCE_MS)
    if (lanes.size >= most) return quick ?? byLoad[0]
    return quick && quick.inFlight < (lanes.size < FEW ? 1 : QUEUE) ? quick : undefined
  }

  /** The rows of one statement. */
  return async function query<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const lane = free(performance.now()) ?? (await another())
    if (lane.inFlight++ === 0) lane.heard = performance.now()
    if (++lane.taken === turns) lanes.delete(lane)
    lane.gather()
    try {
      return (await lane.client.query(text, values as unknown[])).rows as Row[]
    } finally {
      lane.heard = performance.now()
      if (--lane.inFlight === 0) lane.close()
    }
  }
}

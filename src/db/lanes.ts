import type { Pool, PoolClient } from 'pg'

/** A connection that several statements share. */
interface Lane {
  client: PoolClient
  inFlight: number
  /** Gives the connection back. */
  close(): void
}

/**
 * Sends single statements without waiting for the answers of those before (pipelining, PostgreSQL documentation §53.2.4):
 * when every connection is busy, a statement queues at the server behind the fewest others rather than here. Each is its
 * own transaction: the failure of one leaves the others alone.
 * The pool's connections are used, `most` of them at once; the others are for whoever needs one alone.
 */
export function createLanes(pool: Pool, most: number) {
  const lanes = new Set<Lane>()
  let opening: Promise<Lane> | undefined

  async function open(): Promise<Lane> {
    const client = await pool.connect()
    let broken: Error | undefined
    const lane: Lane = {
      client,
      inFlight: 0,
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

  /** One more lane; all who ask while it is being opened get the same. */
  function another(): Promise<Lane> {
    opening ??= open().finally(() => {
      opening = undefined
    })
    return opening
  }

  /** The lane with the fewest statements in flight, or undefined when another one may be opened. */
  function free(): Lane | undefined {
    if (lanes.size < most) return undefined
    let least: Lane | undefined
    for (const lane of lanes) if (!least || lane.inFlight < least.inFlight) least = lane
    return least
  }

  /** The rows of one statement. */
  return async function query<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const lane = free() ?? (await another())
    lane.inFlight++
    try {
      return (await lane.client.query(text, values as unknown[])).rows as Row[]
    } finally {
      if (--lane.inFlight === 0) lane.close()
    }
  }
}

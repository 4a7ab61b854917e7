import type { Pool, PoolClient, QueryResult } from 'pg'

/** How statements share connections. */
export interface PipelineOptions {
  /** The most connections in use at once. */
  maxConnections: number
  /** Statements share a connection only when this many connections are open. */
  minConnections: number
  /** A connection with this many unanswered statements takes another one only when no more may be opened. */
  maxStatements: number
  /** A connection that has not answered for this many milliseconds is stalled, and takes new statements last. */
  stallAfterMs: number
  /** A connection goes back to the pool after this many statements, so that waiting transactions get a turn. */
  maxUses?: number
}

/** A connection that several statements share. */
interface PipelinedConnection {
  client: Promise<PoolClient>
  onError: () => void
  unanswered: number
  uses: number
  /** The time of the last response, or of the first statement of an idle connection: `performance.now()`. */
  activeAt: number
}

/** A function that sends one statement and returns its rows; none where `isWanted` returns false at the statement's turn. */
export type SendStatement = <Row>(statement: Statement, isWanted?: () => boolean) => Promise<Row[]>

export interface Statement {
  name?: string | undefined
  text: string
  values: unknown[]
}

/**
 * Sends a statement by a client. The driver's own promises make every result survive the small garbage
 * collections (measured with pg 8 and Node 24: lists a third slower), so this one uses the driver's callback.
 */
export async function sendStatement(client: PoolClient, statement: Statement): Promise<QueryResult> {
  try {
    return await new Promise<QueryResult>((resolve, reject) => {
      client.query(statement, (error, result) => (error ? reject(error) : resolve(result)))
    })
  } catch (error) {
    // The driver's stack ends at its socket: this one leads to the caller.
    Error.captureStackTrace(error as Error)
    throw error
  }
}

/** The connection for the next statement, or undefined when another connection should be opened. */
function pickConnection(open: ReadonlySet<PipelinedConnection>, options: PipelineOptions, now: number) {
  const byLoad = [...open].sort((one, other) => one.unanswered - other.unanswered)
  const responsive = byLoad.find(({ activeAt }) => now - activeAt < options.stallAfterMs)
  if (open.size >= options.maxConnections) return responsive ?? byLoad[0]
  const limit = open.size < options.minConnections ? 1 : options.maxStatements
  return responsive && responsive.unanswered < limit ? responsive : undefined
}

/** Takes a connection from the pool. A broken one takes no new statements. */
function openConnection(pool: Pool, open: Set<PipelinedConnection>, now: number): PipelinedConnection {
  const connection: PipelinedConnection = {
    client: pool.connect(),
    onError: () => open.delete(connection),
    unanswered: 0,
    uses: 0,
    activeAt: now,
  }
  open.add(connection)
  connection.client.then(
    (client) => client.once('error', connection.onError),
    () => {},
  )
  return connection
}

/** Gives a connection back to the pool, which discards a broken one. */
function closeConnection(open: Set<PipelinedConnection>, connection: PipelinedConnection): void {
  open.delete(connection)
  connection.client.then(
    (client) => {
      client.off('error', connection.onError)
      client.release()
    },
    () => {},
  )
}

/**
 * Sends single statements without waiting for the responses to earlier ones (PostgreSQL documentation, "Pipeline Mode").
 * Each statement is a transaction of its own: the failure of one doesn't affect the others.
 *
 * Quick statements share few connections, whose server processes then find the next statement waiting and need not be
 * woken for each. More connections are used under load, and when one stalls.
 */
export function createPipeline(pool: Pool, options: PipelineOptions): SendStatement {
  const open = new Set<PipelinedConnection>()
  return async <Row>(statement: Statement, isWanted = () => true) => {
    const now = performance.now()
    const connection = pickConnection(open, options, now) ?? openConnection(pool, open, now)
    if (connection.unanswered++ === 0) connection.activeAt = now
    if (++connection.uses === options.maxUses) open.delete(connection)
    try {
      const client = await connection.client
      return isWanted() ? ((await sendStatement(client, statement)).rows as Row[]) : []
    } finally {
      connection.activeAt = performance.now()
      if (--connection.unanswered === 0) closeConnection(open, connection)
    }
  }
}

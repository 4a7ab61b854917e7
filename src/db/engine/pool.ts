import pg, { type CustomTypesConfig } from 'pg'
import { ApiError } from '../../lib/errors.ts'
import type { Embedded } from './embedded.ts'
import { createInterleaving, type Interleaving } from './interleave.ts'
import { createPipeline, type SendStatement, type Statement, sendStatement } from './pipeline.ts'
import { SESSION_OPTIONS } from './session.ts'
import { createGatheringSocket } from './socket.ts'

const { INT8, TIMESTAMPTZ } = pg.types.builtins

/** PostgreSQL's `2026-11-21 08:30:53.12+00` as the API writes it: UTC, milliseconds, `Z`. */
function toInstant(text: string): string {
  if (text.length > 26 || text[10] !== ' ' || !text.endsWith('+00')) return new Date(text).toISOString()
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, '0')}Z`
}

/** Equal values on both engines: 64-bit integers as numbers, instants as the API writes them. */
const COLUMN_TYPES: CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === INT8) return Number
    if (oid === TIMESTAMPTZ) return toInstant
    return pg.types.getTypeParser(oid as number, format as 'text')
  },
}

/** Reads are quick, or they are a search: a connection that runs a search stalls, and the rest go elsewhere. */
const READS = { minConnections: 2, maxStatements: 16, stallAfterMs: 5 }

/** A change may wait for a row's lock or for the disk, and holds up the statements behind it: few share a connection. */
const CHANGES = { minConnections: 4, maxStatements: 4, stallAfterMs: 2 }

/** After so many statements a shared connection goes to a waiting transaction. */
const MAX_USES = 16

/** The most statements prepared on one connection. Others are sent unprepared. */
const MAX_PREPARED = 500

/** The length of all prepared statements, in characters: the database takes some fifty bytes for each of them. */
const MAX_PREPARED_LENGTH = 500_000

/** The statements that are remembered until they come again. */
const MAX_SEEN = 200

/** Opens a pool of connections to the embedded database or to a PostgreSQL server. */
export function openPool(target: Embedded | { databaseUrl: string; poolSize: number }): pg.Pool {
  const pool = new pg.Pool({
    ...('poolConfig' in target
      ? target.poolConfig
      : {
          connectionString: target.databaseUrl,
          stream: createGatheringSocket,
          max: target.poolSize,
          connectionTimeoutMillis: 5_000,
          // After a failover a connection may still lead to the old server, which is read-only now.
          maxLifetimeSeconds: 60,
          keepAlive: true,
          keepAliveInitialDelayMillis: 10_000,
          options: SESSION_OPTIONS,
          application_name: 'cairn',
        }),
    pipeline: true,
    types: COLUMN_TYPES,
  } as pg.PoolConfig)
  // A connection may break while it is idle or in use. The statements in flight get the error as well; an `error` event
  // without a listener would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** The name of a statement, or undefined for one that is sent unprepared. */
export type NameStatement = (text: string, values: readonly unknown[]) => string | undefined

/** Names statements that come again, so that each connection prepares them once and runs them by name from then on. */
export function createStatementNames(): NameStatement {
  const names = new Map<string, string>()
  const seen = new Set<string>()
  let length = 0
  return (text, values) => {
    const known = names.get(text)
    if (known || values.length === 0) return known
    if (names.size === MAX_PREPARED || length + text.length > MAX_PREPARED_LENGTH) return undefined
    if (!seen.delete(text)) {
      if (seen.size === MAX_SEEN) seen.clear()
      seen.add(text)
      return undefined
    }
    length += text.length
    const name = `cairn_${names.size}`
    names.set(text, name)
    return name
  }
}

/** Sends each statement by a connection of its own. A statement that fails leaves the connection open. */
const onOwnConnection =
  (pool: pg.Pool): SendStatement =>
  async <Row>(statement: Statement) => {
    const client = await pool.connect()
    try {
      return (await sendStatement(client, statement)).rows as Row[]
    } finally {
      client.release()
    }
  }

/** The time that a search has. */
const SEARCH_MS = 10_000

const searchEnded = (cause: unknown) =>
  new ApiError('unavailable', `The search took longer than ${SEARCH_MS / 1000} seconds. Search for less.`, {
    headers: { 'retry-after': '1' },
    cause,
  })

/** A function that sends a statement, and cancels it when the signal is aborted. */
export type SendSearch = <Row>(statement: Statement, signal: AbortSignal) => Promise<Row[]>

/** Ends what `send` does when the signal is aborted or the time of a search is over: 503. */
const withinTime =
  (send: SendSearch): SendSearch =>
  async <Row>(statement: Statement, callerGone: AbortSignal) => {
    const signal = AbortSignal.any([callerGone, AbortSignal.timeout(SEARCH_MS)])
    try {
      signal.throwIfAborted()
      return await send<Row>(statement, signal)
    } catch (error) {
      throw signal.aborted ? searchEnded(error) : error
    }
  }

/** Sends each statement by a connection of its own. `cancel` has the server process of a connection end its statement. */
const cancellable =
  (pool: pg.Pool, cancel: (processId: number) => Promise<unknown>): SendSearch =>
  async <Row>(statement: Statement, signal: AbortSignal) => {
    const client = await pool.connect()
    const { processID } = client as typeof client & { processID: number }
    let cancelled: Promise<unknown> | undefined
    const abort = () => {
      cancelled = cancel(processID).catch(() => {})
    }
    signal.addEventListener('abort', abort)
    try {
      signal.throwIfAborted()
      return (await sendStatement(client, statement)).rows as Row[]
    } finally {
      signal.removeEventListener('abort', abort)
      await cancelled
      // A cancellation that came late would end the next statement of this connection.
      client.release(signal.aborted)
    }
  }

interface Senders {
  read: SendStatement
  change: SendStatement
  query: SendStatement
  search: SendSearch
  /** Only of the embedded database. */
  interleaving?: Interleaving
}

/** How statements outside of transactions are sent: `read` and `change` share connections, `query` and `search` don't. */
export function createSenders(pool: pg.Pool, remotePoolSize: number | undefined): Senders {
  if (remotePoolSize === undefined) {
    // The embedded database has one connection, and runs one statement after the other.
    const send = createPipeline(pool, { ...READS, maxConnections: 1, maxUses: MAX_USES })
    const interleaving = createInterleaving(send)
    const { read } = interleaving
    return { read, change: send, query: send, search: withinTime((statement) => read(statement)), interleaving }
  }
  const query = onOwnConnection(pool)
  const maxConnections = Math.floor(remotePoolSize / 2)
  const read = maxConnections > 0 ? createPipeline(pool, { ...READS, maxConnections }) : query
  const cancel = (processId: number) => read({ text: 'select pg_cancel_backend($1)', values: [processId] })
  return {
    query,
    read,
    search: withinTime(cancellable(pool, cancel)),
    change: createPipeline(pool, { ...CHANGES, maxConnections: remotePoolSize, maxUses: MAX_USES }),
  }
}

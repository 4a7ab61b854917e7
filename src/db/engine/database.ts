import { existsSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { type CompiledQuery, Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { type Config, ConfigError } from '../../config.ts'
import { createKeyedSemaphore, type KeyedSemaphore } from '../../lib/keyed-semaphore.ts'
import { createTransactionGuard, type TransactionGuard } from '../../lib/transaction-guard.ts'
import type { Tables } from '../tables.ts'
import { type Embedded, type EmbeddedOptions, openEmbedded } from './embedded.ts'
import type { Interleaving } from './interleave.ts'
import { listen } from './listen.ts'
import { lockDirectory } from './lock.ts'
import { type SendStatement, type Statement, sendStatement } from './pipeline.ts'
import { createSenders, createStatementNames, type NameStatement, openPool } from './pool.ts'
import { DECLARE_READS } from './session.ts'
import { createStatementCache, type StatementCache } from './statement-cache.ts'

export interface TransactionOptions {
  /** All statements read one state of the database, and none writes. */
  readOnly?: boolean
}

/** An open database: the rows of every organization. Resources get a Scope instead. */
export interface Database {
  engine: 'embedded' | 'postgres'
  kysely: Kysely<Tables>
  /** Knows whether code runs inside a transaction of this database. */
  guard: TransactionGuard
  /** The compiled statements of this database. */
  statements: StatementCache
  /** Runs one statement outside of any transaction, by a connection of its own, and returns its rows. */
  query<Row>(statement: CompiledQuery): Promise<Row[]>
  /** Runs a statement that only reads and waits for no lock. Such statements share connections. */
  read<Row>(statement: CompiledQuery): Promise<Row[]>
  /**
   * Runs a statement that only reads and may take long, by a connection of its own. The server of the database ends it when
   * the signal is aborted, and after ten seconds; the embedded database finishes what it has begun.
   */
  search<Row>(statement: CompiledQuery, signal: AbortSignal): Promise<Row[]>
  /** Runs a search once its organization has fewer than its most searches at once: most connections stay free for others. */
  searchTurns: KeyedSemaphore
  /** Runs a statement that changes one row, named by its key. Such statements share connections, few each. */
  change<Row>(statement: CompiledQuery): Promise<Row[]>
  /** Runs `work` in one transaction. Any other use of the database inside of `work` throws instead of deadlocking. */
  transaction<T>(work: (trx: Kysely<Tables>) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Calls `onMessage` with the messages that other servers of this database send by `pg_notify`, of which some get lost. */
  listen(channel: string, onMessage: (text: string) => void): () => Promise<void>
  /** The connections in use and not, and the statements that wait for one. */
  connections(): { used: number; idle: number; pending: number }
  /** Why the disk of an embedded database holds no further data; undefined where it does. */
  whyFull(): string | undefined
  /** A copy of the embedded database as a file, for `openDatabase` to start from. */
  dump(): Promise<Blob>
  close(): Promise<void>
}

type Settings = Pick<Config, 'databaseUrl' | 'dataDir' | 'poolSize'>

interface Storage {
  pool: pg.Pool
  embedded?: Embedded
  unlock?: () => void
}

/** The searches of one organization that run at once. */
const SEARCHES_AT_ONCE = { embedded: 1, postgres: 2 }

/** The database writes its log in files of this size, and stops when there is no room for the next one. */
const MIN_FREE_MB = 16

/** The size of an empty database, and room for its first data. */
const NEW_DATABASE_MB = 64

/** Why the disk of a data directory has too little room; undefined where it has enough. */
function whyFull(dataDir: string, neededMb = MIN_FREE_MB): string | undefined {
  const { bavail, bsize } = statfsSync(dataDir)
  const freeMb = Math.floor((bavail * bsize) / 1_048_576)
  if (freeMb >= neededMb) return undefined
  return `The disk of the database is full: ${freeMb} MB are free, and ${neededMb} are needed`
}

/** Opens the embedded database of a data directory. Throws a ConfigError for a database or a disk that can't be used. */
async function openOnDisk(dataDir: string, options: EmbeddedOptions): Promise<Embedded> {
  const directory = join(dataDir, 'database')
  const isNew = !existsSync(directory)
  try {
    const full = whyFull(dataDir, isNew ? NEW_DATABASE_MB : MIN_FREE_MB)
    if (full) throw new Error(full)
    // What creating a database takes of memory is free only when its thread has ended.
    if (isNew) await (await openEmbedded(directory, options)).close()
    return await openEmbedded(directory, options)
  } catch (error) {
    // A part of a new database would be taken for a whole one.
    if (isNew) rmSync(directory, { recursive: true, force: true })
    throw new ConfigError(
      `CAIRN_DATA_DIR cannot be used: ${(error as Error).message}. Free space on the disk of ${dataDir}, make it ` +
        'writable, or set CAIRN_DATA_DIR to a directory on another disk.',
    )
  }
}

/** Opens the connections that the settings name, and takes the directory of an embedded database for this process. */
async function openStorage({ databaseUrl, dataDir, poolSize }: Settings, options: EmbeddedOptions): Promise<Storage> {
  if (databaseUrl === 'memory:') {
    const embedded = await openEmbedded(undefined, options)
    return { pool: openPool(embedded), embedded }
  }
  if (databaseUrl !== undefined) return { pool: openPool({ databaseUrl, poolSize }) }
  const unlock = lockDirectory(dataDir)
  try {
    const embedded = await openOnDisk(dataDir, options)
    return { pool: openPool(embedded), embedded, unlock }
  } catch (error) {
    unlock()
    throw error
  }
}

/** The statements by which Kysely begins a transaction. */
const BEGIN = /^(begin|start transaction)\b/

/** The pool as Kysely uses it: `check` runs before a connection is taken, and statements are prepared by name. */
const kyselyPool = (
  pool: pg.Pool,
  nameOf: NameStatement,
  check: () => void,
  interleaving: Interleaving | undefined,
): PostgresPool => ({
  options: pool.options,
  end: () => pool.end(),
  async connect() {
    check()
    const client = await pool.connect()
    const query = (text: string, values: readonly unknown[]) => {
      if (!interleaving || !BEGIN.test(text)) {
        return sendStatement(client, { name: nameOf(text, values), text, values: [...values] })
      }
      interleaving.begun(client)
      return sendStatement(client, { text: `${text}; ${DECLARE_READS}`, values: [] })
    }
    const release = (destroy?: boolean) => {
      interleaving?.ended()
      client.release(destroy)
    }
    // Kysely sends texts with values, and no cursors.
    return { query: query as unknown as PostgresPoolClient['query'], release }
  },
})

/**
 * Opens the database that the settings name. An embedded one belongs to this process alone until it is closed.
 * Throws a ConfigError when another process has it.
 */
export async function openDatabase(settings: Settings, options: EmbeddedOptions = {}): Promise<Database> {
  const { pool, embedded, unlock } = await openStorage(settings, options)
  const senders = createSenders(pool, embedded ? undefined : settings.poolSize)
  const nameOf = createStatementNames()
  const guard = createTransactionGuard()
  const check = () => guard.refuse('The database was used beside the transaction that is open here.')
  const kysely = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: kyselyPool(pool, nameOf, check, senders.interleaving) }),
  })
  const sendBy =
    (send: SendStatement) =>
    async <Row>({ sql: text, parameters }: CompiledQuery) => {
      check()
      return send<Row>({ name: nameOf(text, parameters), text, values: [...parameters] })
    }

  const engine = embedded ? 'embedded' : 'postgres'
  return {
    engine,
    kysely,
    guard,
    statements: createStatementCache(),
    query: sendBy(senders.query),
    read: sendBy(senders.read),
    change: sendBy(senders.change),
    search: (statement, signal) => sendBy(<R>(sent: Statement) => senders.search<R>(sent, signal))(statement),
    searchTurns: createKeyedSemaphore(SEARCHES_AT_ONCE[engine]),
    transaction(work, { readOnly } = {}) {
      let first: unknown
      // A connection that has broken fails the rollback too: the first error says why.
      const rethrow = (error: unknown): never => {
        first ??= error
        throw first
      }
      const transaction = kysely.transaction()
      const begun = readOnly ? transaction.setIsolationLevel('repeatable read').setAccessMode('read only') : transaction
      return begun.execute((trx) => guard.run(() => work(trx).catch(rethrow))).catch(rethrow)
    },
    // An embedded database has no other servers.
    listen: (...request) => (embedded ? async () => {} : listen(settings.databaseUrl!, ...request)),
    connections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      pending: pool.waitingCount,
    }),
    whyFull: () => (unlock ? whyFull(settings.dataDir) : undefined),
    async dump() {
      if (!embedded) throw new Error('Only an embedded database can be dumped.')
      return embedded.dump()
    },
    async close() {
      await kysely.destroy()
      await embedded?.close()
      unlock?.()
    },
  }
}

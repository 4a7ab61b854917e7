import { join } from 'node:path'
import { type CompiledQuery, Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import type { Config } from '../../config.ts'
import { createTransactionGuard, type TransactionGuard } from '../../lib/transaction-guard.ts'
import type { Tables } from '../tables.ts'
import { type Embedded, type EmbeddedOptions, openEmbedded } from './embedded.ts'
import { lockDirectory } from './lock.ts'
import { type SendStatement, type Statement, sendStatement } from './pipeline.ts'
import { createSenders, createStatementNames, type NameStatement, openPool } from './pool.ts'
import { createStatementCache, type StatementCache } from './statement-cache.ts'

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
  /** Runs a statement that changes one row, named by its key. Such statements share connections, few each. */
  change<Row>(statement: CompiledQuery): Promise<Row[]>
  /** Runs `work` in one transaction. Any other use of the database inside of `work` throws instead of deadlocking. */
  transaction<T>(work: (trx: Kysely<Tables>) => Promise<T>): Promise<T>
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

/** Opens the connections that the settings name, and takes the directory of an embedded database for this process. */
async function openStorage({ databaseUrl, dataDir, poolSize }: Settings, options: EmbeddedOptions): Promise<Storage> {
  if (databaseUrl !== undefined && databaseUrl !== 'memory:') return { pool: openPool({ databaseUrl, poolSize }) }
  const inMemory = databaseUrl === 'memory:'
  const unlock = inMemory ? () => {} : lockDirectory(dataDir)
  try {
    const embedded = await openEmbedded(inMemory ? undefined : join(dataDir, 'database'), options)
    return { pool: openPool(embedded), embedded, unlock }
  } catch (error) {
    unlock()
    throw error
  }
}

/** The pool as Kysely uses it: `check` runs before a connection is taken, and statements are prepared by name. */
const kyselyPool = (pool: pg.Pool, nameOf: NameStatement, check: () => void): PostgresPool => ({
  options: pool.options,
  end: () => pool.end(),
  async connect() {
    check()
    const client = await pool.connect()
    const query = (text: string, values: readonly unknown[]) =>
      sendStatement(client, { name: nameOf(text, values), text, values: [...values] })
    // Kysely sends texts with values, and no cursors.
    return { query: query as unknown as PostgresPoolClient['query'], release: (destroy) => client.release(destroy) }
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
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: kyselyPool(pool, nameOf, check) }) })
  const sendBy =
    (send: SendStatement) =>
    async <Row>({ sql: text, parameters }: CompiledQuery) => {
      check()
      return send<Row>({ name: nameOf(text, parameters), text, values: [...parameters] })
    }

  return {
    engine: embedded ? 'embedded' : 'postgres',
    kysely,
    guard,
    statements: createStatementCache(),
    query: sendBy(senders.query),
    read: sendBy(senders.read),
    change: sendBy(senders.change),
    search: (statement, signal) => sendBy(<R>(sent: Statement) => senders.search<R>(sent, signal))(statement),
    transaction: (work) => kysely.transaction().execute((trx) => guard.run(() => work(trx))),
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

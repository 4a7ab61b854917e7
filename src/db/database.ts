import { join } from 'node:path'
import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import pg, { type ClientConfig, type CustomTypesConfig, type PoolClient, type QueryResult } from 'pg'
import type { Config } from '../config.ts'
import { type Place, type Sheet, writeBytes } from '../lib/sheet.ts'
import { createTransactionGuard, type TransactionGuard } from '../lib/transaction-guard.ts'
import { openEmbedded } from './embedded.ts'
import { createLanes } from './lanes.ts'
import { lockDirectory } from './lock.ts'
import { createReceivingSocket, type Raw, receiveBytes } from './receive.ts'
import { SESSION_OPTIONS } from './session.ts'
import type { Tables } from './tables.ts'

/** An open database: the whole of it, every organization's rows. Resources get a Scope instead. */
export interface Database {
  engine: 'embedded' | 'postgres'
  kysely: Kysely<Tables>
  /** Knows whether code runs inside a transaction of this database. */
  guard: TransactionGuard
  /** The rows of one statement outside of any transaction, without Kysely's way around the pool. */
  query<Row>(statement: CompiledQuery): Promise<Row[]>
  /**
   * The same for statements that only read and wait for nobody's locks: they share connections. With a sheet, what rows
   * are written as goes there, and the rows have the places.
   */
  read<Row>(statement: CompiledQuery, sheet?: Sheet): Promise<Row[]>
  /** The same for statements that change a row whose key they name: they share connections as well, but few each. */
  change<Row>(statement: CompiledQuery): Promise<Row[]>
  /** Runs `work` in one transaction. Anything but the given handle used inside it throws, rather than wait for itself. */
  transaction<T>(work: (trx: Kysely<Tables>) => Promise<T>): Promise<T>
  /** The embedded database as a file that `openDatabase` can start from. */
  dump(): Promise<Blob>
  close(): Promise<void>
}

type Settings = Pick<Config, 'databaseUrl' | 'dataDir' | 'poolSize'>

/** PostgreSQL's `2026-11-21 08:30:53.12+00` as the wire has it: UTC, milliseconds, `Z`. */
function toInstant(text: string): string {
  if (text.length > 26 || text[10] !== ' ' || !text.endsWith('+00')) return new Date(text).toISOString()
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, '0')}Z`
}

/** The type of what rows are written as (`WRITTEN`, src/db/members.ts): it is received as bytes. */
const { VARCHAR } = pg.types.builtins

const textOf = ({ bytes, from, to }: Raw) => bytes.toString('utf8', from, to)

function placeOf(sheet: Sheet, raw: Raw): Place {
  const from = sheet.length
  writeBytes(sheet, raw.bytes, raw.from, raw.to)
  return { from, to: sheet.length }
}

/** Equal values on both engines: 64-bit integers as numbers, instants as the wire has them. */
const types: CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === pg.types.builtins.INT8) return Number
    if (oid === pg.types.builtins.TIMESTAMPTZ) return toInstant
    if (oid === VARCHAR) return textOf
    return pg.types.getTypeParser(oid as number, format as 'text')
  },
}

/** The same, with what rows are written as on a sheet. */
const typesOn = (sheet: Sheet): CustomTypesConfig => ({
  getTypeParser: (oid, format) =>
    oid === VARCHAR ? (raw: Raw) => placeOf(sheet, raw) : types.getTypeParser(oid, format),
})

/** As many statements as there are query shapes in the code, with room; those beyond are sent unprepared. */
const MAX_PREPARED = 500

type Callback = (error: Error | null, result: QueryResult) => void

/**
 * A promise of what `send` is called back with. The driver's own promises have their answers survive every small garbage
 * collection (pg 8, Node 24), so that most of what is read waits for a large one.
 */
async function answered(send: (callback: Callback) => void): Promise<QueryResult> {
  try {
    return await new Promise<QueryResult>((resolve, reject) =>
      send((error, result) => (error ? reject(error) : resolve(result))),
    )
  } catch (error) {
    // From here it leads to who asked.
    Error.captureStackTrace(error as Error)
    throw error
  }
}

/** A client that prepares each statement text once and executes it by name from then on, and receives bytes. */
function preparingClient() {
  const names = new Map<string, string>()
  const nameOf = (text: string) => {
    let name = names.get(text)
    if (!name && names.size < MAX_PREPARED) {
      name = `cairn_${names.size}`
      names.set(text, name)
    }
    return name
  }
  return class extends pg.Client {
    constructor(config?: ClientConfig) {
      super(config)
      receiveBytes(this, VARCHAR)
    }

    // biome-ignore lint/suspicious/noExplicitAny: pg's query has a dozen overloads; only those with a text and no callback are changed
    override query(...args: any[]): any {
      const query = super.query as (...all: unknown[]) => unknown
      const [given, values = []] = args
      if (args.length > 2 || !Array.isArray(values)) return query.apply(this, args)
      const config = typeof given === 'string' ? { text: given, values } : given
      if (typeof config.submit === 'function') return query.apply(this, args)
      // Only what has values can be prepared.
      const name = config.values?.length > 0 ? nameOf(config.text) : undefined
      return answered((callback) => query.call(this, { ...config, name }, callback))
    }
  }
}

/** Reads are quick, or they are a search: what comes behind one is read by another connection soon. */
const READS = { few: 2, queue: 16, silenceMs: 5 }

/** What waits for another's lock or for the disk holds up what shares its connection: those that share one are few. */
const CHANGES = { few: 4, queue: 4, silenceMs: 2 }

/** After so many statements in a row a connection goes to a transaction that waits for it. */
const IN_A_ROW = 16

/** Sends single statements, each on a connection of its own. Unlike the pool's own `query`, an error keeps it open. */
const inTurn =
  (pool: pg.Pool) =>
  async <Row>(text: string, values: readonly unknown[], types?: CustomTypesConfig): Promise<Row[]> => {
    const client = await pool.connect()
    try {
      return (await client.query({ text, values: values as unknown[], types })).rows as Row[]
    } finally {
      client.release()
    }
  }

/**
 * Opens the database the settings name. An embedded one is taken for this process alone.
 * Throws a ConfigError when another process has it.
 */
export async function openDatabase(settings: Settings, snapshot?: Blob): Promise<Database> {
  const { databaseUrl, dataDir } = settings
  const remote = databaseUrl !== undefined && databaseUrl !== 'memory:'
  const unlock = databaseUrl === undefined ? lockDirectory(dataDir) : undefined
  const embedded = remote
    ? undefined
    : await openEmbedded(databaseUrl === undefined ? join(dataDir, 'database') : undefined, snapshot).catch((error) => {
        unlock?.()
        throw error
      })
  const pool = new pg.Pool({
    ...(embedded?.poolConfig ?? {
      connectionString: databaseUrl,
      stream: createReceivingSocket,
      max: settings.poolSize,
      connectionTimeoutMillis: 5_000,
      options: SESSION_OPTIONS,
      application_name: 'cairn',
    }),
    pipeline: true,
    types,
    Client: preparingClient() as unknown as typeof pg.Client,
  })
  // An idle connection that breaks is replaced by the next request's; without a listener it would end the process.
  pool.on('error', () => {})

  const reads = remote ? Math.floor(settings.poolSize / 2) : 1
  // The embedded database has but one connection, and each statement waits for all before it anyway.
  const read =
    reads > 0 ? createLanes(pool, { ...READS, most: reads, ...(!remote && { turns: IN_A_ROW }) }) : inTurn(pool)
  const change = remote ? createLanes(pool, { ...CHANGES, most: settings.poolSize, turns: IN_A_ROW }) : read
  const query = remote ? inTurn(pool) : read
  const guard = createTransactionGuard()
  const refuse = () => guard.refuse('The database was used beside the transaction that is open here.')
  const guarded = {
    connect(): Promise<PoolClient> {
      refuse()
      return pool.connect()
    },
    end: () => pool.end(),
  }
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: guarded as unknown as pg.Pool }) })

  return {
    engine: remote ? 'postgres' : 'embedded',
    kysely,
    guard,
    async query<Row>({ sql, parameters }: CompiledQuery) {
      refuse()
      return query<Row>(sql, parameters)
    },
    async read<Row>({ sql, parameters }: CompiledQuery, sheet?: Sheet) {
      refuse()
      return read<Row>(sql, parameters, sheet && typesOn(sheet))
    },
    async change<Row>({ sql, parameters }: CompiledQuery) {
      refuse()
      return change<Row>(sql, parameters)
    },
    transaction: (work) => kysely.transaction().execute((trx) => guard.run(() => work(trx))),
    dump() {
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

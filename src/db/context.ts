import type { CompiledQuery, Kysely, RawBuilder } from 'kysely'
import type { Cipher } from '../lib/cipher.ts'
import { ApiError, notFound } from '../lib/errors.ts'
import { nounOf } from '../lib/ids.ts'
import type { Database } from './engine/database.ts'
import { VERSION, type Versioned } from './marks.ts'
import { isRetryable, toApiError } from './pg-errors.ts'
import type { Names } from './render/json-columns.ts'
import type { Tables } from './tables.ts'

/** Who acts, for which organization, and under which condition. */
export interface Actor {
  organizationId: string
  userId: string | null
  keyId: string | null
  scopes: readonly string[]
  requestId: string | null
  /** JSON of the agent that acts for the caller, for the history. */
  author?: string | undefined
  /** Whether the organization runs the whole server. */
  operator: boolean
  /** The names that the caller reads; `neutral` if absent. */
  names?: Names | undefined
  /** `If-Match`: the versions that the caller accepts to change. */
  ifMatch?: readonly number[] | undefined
}

/** What the verbs of a scope share. */
export interface Context {
  database: Database
  cipher: Cipher
  actor: Actor
  /** The transaction of the scope, if it has one. */
  trx?: Kysely<Tables> | undefined
}

export type Row = Record<string, unknown>

/** Messages for violations of unique constraints, by constraint. */
export type Conflicts = Readonly<Record<string, string>>

/** A value as a statement's parameter: objects and arrays become JSON text. */
export const toParameter = (value: unknown) =>
  value !== null && typeof value === 'object' ? JSON.stringify(value) : value

/** Runs `work`; an error of the database becomes the ApiError that the caller gets. */
export async function mapDbErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw toApiError(error)
  }
}

const MAX_RETRIES = 4

/** Runs `work`, and again when the database rolled it back in favour of another transaction. */
export async function withRetry<T>(work: () => Promise<T>): Promise<T> {
  for (let left = MAX_RETRIES; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (left === 0 || !isRetryable(error)) throw toApiError(error)
    }
  }
}

type Statement = RawBuilder<unknown> | CompiledQuery

type Sender = 'query' | 'read' | 'change'

async function send<R>(
  { trx, database }: Context,
  statement: Statement,
  sender: Sender,
  conflicts?: Conflicts,
): Promise<R[]> {
  const compiled = 'compile' in statement ? statement.compile(database.kysely) : statement
  try {
    // A transaction is run again as a whole, by whoever began it.
    return trx ? ((await trx.executeQuery(compiled)).rows as R[]) : await withRetry(() => database[sender]<R>(compiled))
  } catch (error) {
    throw isRetryable(error) ? error : toApiError(error, conflicts)
  }
}

/** The rows of any statement. 409 with a message of `conflicts` for the violation of a unique constraint. */
export const queryRows = <R = Row>(context: Context, statement: Statement, conflicts?: Conflicts) =>
  send<R>(context, statement, 'query', conflicts)

/** The rows of a statement that only reads, and takes no locks. */
export const readRows = <R = Row>(context: Context, statement: Statement) => send<R>(context, statement, 'read')

/** The rows of a statement that may take long: it ends when the signal is aborted, and after ten seconds. 503. */
export async function searchRows<R>(
  { trx, database }: Context,
  statement: RawBuilder<R> | CompiledQuery,
  signal: AbortSignal,
) {
  const compiled = ('compile' in statement ? statement.compile(database.kysely) : statement) as CompiledQuery<R>
  return mapDbErrors(
    trx ? trx.executeQuery<R>(compiled).then(({ rows }) => rows) : database.search<R>(compiled, signal),
  )
}

/** The rows of a list or a count, with the signal of its filter: a search takes its turn, any other is a read. */
export const filteredRows = <R>(context: Context, statement: Statement, signal: AbortSignal | undefined) =>
  signal
    ? context.database.searchTurns(context.actor.organizationId, () =>
        searchRows<R>(context, statement as RawBuilder<R>, signal),
      )
    : readRows<R>(context, statement)

/** The row of a statement that changes one row, named by its key. */
export const changeRow = async (context: Context, statement: Statement, conflicts?: Conflicts) =>
  (await send<Row>(context, statement, 'change', conflicts))[0]

/** The row as the wire has it: fields without a value are left out, and the version is a mark. */
export function toWire<Wire>(row: Row): Wire & Versioned {
  for (const key in row) if (row[key] === null) row[key] = undefined
  if (row.version !== undefined) {
    Object.defineProperty(row, VERSION, { value: row.version })
    row.version = undefined
  }
  return row as Wire & Versioned
}

/** 404 that names the resource by its id. */
export const notFoundFor = (id: string) => notFound(nounOf(id), id)

/** 412 with the current ETag, unless the caller accepts this version. */
export function checkMatch({ actor }: Context, version: number): void {
  if (!actor.ifMatch || actor.ifMatch.includes(version)) return
  throw new ApiError('precondition_failed', `The resource has changed: its ETag is now "${version}".`, {
    headers: { etag: `"${version}"` },
  })
}

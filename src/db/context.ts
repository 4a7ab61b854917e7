import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import type { Cipher } from '../lib/cipher.ts'
import { ApiError, notFound } from '../lib/errors.ts'
import { NOUNS } from '../lib/ids.ts'
import { type Place, type Sheet, takeSheet, writeText } from '../lib/sheet.ts'
import type { Database } from './database.ts'
import { answerFor, undone } from './faults.ts'
import type { Names } from './members.ts'
import { type Resource, VERSION, type Versioned } from './resource.ts'
import type { Tables } from './tables.ts'
import type { WrittenRow } from './written.ts'

/** Who acts, for which organization, and under which condition. */
export interface Actor {
  organizationId: string
  userId: string | null
  keyId: string | null
  scopes: readonly string[]
  requestId: string | null
  /** Whether the organization runs the whole server. */
  operator: boolean
  /** The names the caller reads; `neutral` if absent. */
  names?: Names | undefined
  /** `If-Match`: the versions the caller is content to change. */
  ifMatch?: readonly number[] | undefined
}

/** What the verbs of a scope share. */
export interface Context {
  database: Database
  cipher: Cipher
  actor: Actor
  /** The transaction the scope lives in, if it does. */
  trx?: Kysely<Tables> | undefined
}

export type Values = Record<string, unknown>

/** Objects and arrays travel as JSON text; everything else as it is. */
export const encode = (value: unknown) => (value !== null && typeof value === 'object' ? JSON.stringify(value) : value)

/** Runs `work`; an error of the database becomes the answer it stands for. */
export async function answering<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw answerFor(error)
  }
}

/** How often work is done again that other callers' work got in the way of. */
const REPEATS = 4

/** Runs a transaction, or a statement outside of any, again when the database undid it for another caller's sake. */
export async function repeating<T>(work: () => Promise<T>): Promise<T> {
  for (let left = REPEATS; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (left === 0 || !undone(error)) throw answerFor(error)
    }
  }
}

type Statement = RawBuilder<unknown> | CompiledQuery

const compile = ({ database }: Context, statement: Statement) =>
  'compile' in statement ? statement.compile(database.kysely) : statement

async function send<Row>(context: Context, statement: Statement, how: 'query' | 'read' | 'change'): Promise<Row[]> {
  const { trx, database } = context
  const compiled = compile(context, statement)
  // In a transaction the error stays what it is: the transaction decides whether to begin again.
  return trx ? ((await trx.executeQuery(compiled)).rows as Row[]) : repeating(() => database[how]<Row>(compiled))
}

/** The rows of a statement. */
export const rowsOf = <Row = Values>(context: Context, statement: Statement) => send<Row>(context, statement, 'query')

/** The rows of a statement that only reads, and doesn't lock what it reads. */
export const readRows = <Row = Values>(context: Context, statement: Statement) => send<Row>(context, statement, 'read')

/** Rows whose JSON is on a sheet. Whoever has read it leaves the sheet to others. */
export interface OnSheet<Row> {
  rows: Row[]
  sheet: Sheet
}

/** The same for a statement that writes JSON: its rows have the places of their texts. */
export async function readWritten<Row extends WrittenRow>(
  context: Context,
  statement: Statement,
): Promise<OnSheet<Row>> {
  const { trx, database } = context
  const compiled = compile(context, statement)
  if (!trx) {
    // A new one for each attempt: what is left of one that failed must not be taken for another's.
    return repeating(async () => {
      const sheet = takeSheet()
      return { rows: await database.read<Row>(compiled, sheet), sheet }
    })
  }
  const sheet = takeSheet()
  const { rows } = await trx.executeQuery(compiled)
  for (const row of rows as Record<'id' | 'json', string | Place | null>[]) {
    for (const column of ['id', 'json'] as const) {
      const text = row[column]
      if (typeof text === 'string') row[column] = writeText(sheet, text)
    }
  }
  return { rows: rows as Row[], sheet }
}

/** The row of a statement that changes one row, whose key it names. */
export const changeRow = async (context: Context, statement: Statement): Promise<Values | undefined> =>
  (await send<Values>(context, statement, 'change'))[0]

/** The row as it goes out: fields without a value left out, the version beside it. */
export function toWire<Wire>(row: Values): Wire & Versioned {
  for (const key in row) if (row[key] === null) row[key] = undefined
  if (row.version !== undefined) {
    Object.defineProperty(row, VERSION, { value: row.version })
    row.version = undefined
  }
  return row as Wire & Versioned
}

/** One row of the organization's. */
export const mine = (context: Context, table: string, id: string) =>
  sql<boolean>`${sql.ref(`${table}.organization_id`)} = ${context.actor.organizationId} and ${sql.ref(`${table}.id`)} = ${id}`

export const missing = (resource: Resource, id: string) => notFound(NOUNS[resource.prefix], id)

/** 412, with the ETag the caller should have known, unless `version` is one the caller is content to change. */
export function checkMatch(context: Context, version: number): void {
  const { ifMatch } = context.actor
  if (!ifMatch || ifMatch.includes(version)) return
  throw new ApiError('precondition_failed', `The resource has changed: its ETag is now "${version}".`, {
    headers: { etag: `"${version}"` },
  })
}

import { type RawBuilder, sql } from 'kysely'
import { instantOf, newId } from '../lib/ids.ts'
import { linkMany } from './attach.ts'
import { type Context, queryRows, type Row, toParameter, toWire } from './context.ts'
import type { Attachments, AttachmentsByOwner, LinkChange } from './link.ts'
import type { Versioned } from './marks.ts'
import type { Resource } from './resource.ts'
import { insertRevision } from './revisions.ts'
import type { Table } from './select.ts'
import type { Columns, Exactly } from './tables.ts'

/**
 * The JSON of one statement, in characters, unless a single row is longer. On the embedded database, others read between
 * the statements of a transaction.
 */
const MAX_CHARACTERS = 100_000

/** Rows as JSON arrays, each short enough for one statement. */
export function* jsonBatches(rows: readonly object[]): Generator<string> {
  let texts: string[] = []
  let length = 0
  for (const row of rows) {
    const text = JSON.stringify(row)
    if (texts.length > 0 && length + text.length > MAX_CHARACTERS) {
      yield `[${texts.join()}]`
      texts = []
      length = 0
    }
    texts.push(text)
    length += text.length
  }
  if (texts.length > 0) yield `[${texts.join()}]`
}

/** The protocol counts the parameters of a statement with 16 bits. */
const MAX_PARAMETERS = 65_000

/** Fewer rows travel as parameters, more as JSON. */
const MIN_JSON_ROWS = 21

/** SQL of the attachments of each row of `changed`, for the history. */
function linksJson(rows: readonly Row[], attachments: AttachmentsByOwner): RawBuilder<unknown> | undefined {
  const changesOf = (id: string): LinkChange[] =>
    attachments
      .map(([{ table }, ids]) => ({ table, added: [...new Set(ids.get(id))], removed: [] }))
      .filter(({ added }) => added.length > 0)
  const changes = rows.map(({ id }) => [id, changesOf(id as string)] as const).filter(([, links]) => links.length > 0)
  return changes.length > 0 ? sql`(${JSON.stringify(Object.fromEntries(changes))}::jsonb -> id)` : undefined
}

/** The row of a new resource. An id is made unless the values have one. */
function newRow({ actor }: Context, resource: Resource, values: Row): Row {
  const id = (values.id as string | undefined) ?? newId(resource.prefix)
  // The instant inside the id: a cursor keeps its position when its row is gone.
  const now = (instantOf(id) ?? new Date()).toISOString()
  const by = { created_by_id: actor.userId, last_updated_by_id: actor.userId }
  return { ...values, id, organization_id: actor.organizationId, created_at: now, updated_at: now, ...by }
}

/** The sources of new rows, one for each statement. */
function* rowSources(context: Context, table: string, rows: Row[], columns: readonly string[]) {
  // Many rows travel as JSON: with parameters, every number of rows would be another statement.
  if (rows.length >= MIN_JSON_ROWS && rows.every((row) => columns.every((column) => row[column] !== undefined))) {
    const selected = columns.map((column) =>
      column === 'organization_id' ? sql`${context.actor.organizationId}` : sql.ref(column),
    )
    for (const batch of jsonBatches(rows)) {
      yield sql`select ${sql.join(selected)} from json_populate_recordset(null::${sql.table(table)}, ${batch}::json)`
    }
    return
  }
  const cell = (value: unknown) => (value === undefined ? sql`default` : toParameter(value))
  const size = Math.floor(MAX_PARAMETERS / columns.length)
  for (let at = 0; at < rows.length; at += size) {
    const cells = rows.slice(at, at + size).map((row) => sql`(${sql.join(columns.map((column) => cell(row[column])))})`)
    yield sql`values ${sql.join(cells)}`
  }
}

/** Inserts rows with their history, by as few statements as possible. */
async function insertRows(
  context: Context,
  resource: Resource,
  rows: Row[],
  attachments: AttachmentsByOwner,
  onConflict = sql``,
): Promise<Row[]> {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row).filter((key) => row[key] !== undefined)))]
  const table = sql.table(resource.table)
  const links = linksJson(rows, attachments)
  const inserted: Row[] = []
  for (const source of rowSources(context, resource.table, rows, columns)) {
    const statement = sql`with changed as (
        insert into ${table} (${sql.join(columns.map((column) => sql.ref(column)))}) ${source} ${onConflict} returning *
      ), ${insertRevision(context.actor, resource, 'create', links)}
      select ${resource.fields(context.actor.organizationId)}, version from changed as ${table}`
    for (const row of await queryRows(context, statement, resource.conflicts)) inserted.push(row)
  }
  return inserted
}

async function insertAttached<Wire>(
  context: Context,
  resource: Resource<Wire>,
  rows: Row[],
  attachments: AttachmentsByOwner,
): Promise<(Wire & Versioned)[]> {
  const inserted = await insertRows(context, resource, rows, attachments)
  for (const [link, ids] of attachments) if (link.owner) await linkMany(context, link, ids)
  const byId = new Map(inserted.map((row) => [row.id, row]))
  return rows.map((row) => toWire<Wire>(byId.get(row.id)!))
}

/**
 * Makes resources, and returns them in the order given. Call this function in a transaction if they get attachments. Ids are
 * made where the values have none. 409 for a conflict, 404 for a reference to a missing row.
 */
export async function insertMany<Wire, T extends Table, V extends Columns<T>>(
  context: Context,
  resource: Resource<Wire, T>,
  list: readonly Exactly<Columns<T>, V>[],
  attachments: AttachmentsByOwner = [],
): Promise<(Wire & Versioned)[]> {
  const rows = list.map((values) => newRow(context, resource, values))
  return rows.length > 0 ? insertAttached(context, resource, rows, attachments) : []
}

/** Makes one resource. As `insertMany`. */
export async function insert<Wire, T extends Table, V extends Columns<T>>(
  context: Context,
  resource: Resource<Wire, T>,
  values: Exactly<Columns<T>, V>,
  attachments: Attachments = [],
): Promise<Wire & Versioned> {
  const row = newRow(context, resource, values)
  const byOwner = attachments.map(([link, ids]) => [link, new Map([[row.id as string, ids]])] as const)
  return (await insertAttached(context, resource, [row], byOwner))[0]!
}

/**
 * Makes those of these resources that violate no unique constraint, and returns them. Of two callers that make the same
 * resource at once, one waits for the other. Callers that make several resources name them in the same order.
 */
export async function insertOnConflictDoNothing<Wire, T extends Table, V extends Columns<T>>(
  context: Context,
  resource: Resource<Wire, T>,
  list: readonly Exactly<Columns<T>, V>[],
): Promise<(Wire & Versioned)[]> {
  if (list.length === 0) return []
  const rows = list.map((values) => newRow(context, resource, values))
  const inserted = await insertRows(context, resource, rows, [], sql`on conflict do nothing`)
  return inserted.map((row) => toWire<Wire>(row))
}

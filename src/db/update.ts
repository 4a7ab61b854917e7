import { type RawBuilder, sql } from 'kysely'
import { type Context, changeRow, checkMatch, queryRows, toParameter, toWire } from './context.ts'
import type { Values } from './engine/statement-cache.ts'
import { get } from './find.ts'
import type { LinkChange } from './link.ts'
import { VERSION, type Versioned } from './marks.ts'
import type { Resource } from './resource.ts'
import { type Author, insertRevision, touchColumns } from './revisions.ts'
import type { Table } from './select.ts'
import type { Columns, Exactly } from './tables.ts'

/** A conditional write found no row: 404, 412, or the resource as it is, because it needs no change. */
async function unchanged<Wire>(context: Context, resource: Resource<Wire>, id: string): Promise<Wire & Versioned> {
  const row = await get(context, resource, id)
  checkMatch(context, row[VERSION]!)
  return row
}

/** The statement of an update: the change, its version check and its history row. */
function updateStatement(resource: Resource, columns: readonly string[], values: Values): RawBuilder<unknown> {
  const { organizationId, userId, keyId, requestId, author, id, now, ifMatch, links } = values
  const by: Author = { organizationId, userId, keyId, requestId, author }
  const table = sql.table(resource.table)
  const assignments = columns.map((column) => sql`${sql.ref(column)} = ${values[`column ${column}`]}`)
  const differences = columns.map((column) => {
    const value = sql`${values[`column ${column}`]}`
    return resource.json?.includes(column)
      ? sql`${sql.ref(column)}::text is distinct from ${value}::text`
      : sql`${sql.ref(column)} is distinct from ${value}`
  })
  return sql`with changed as (
      update ${table} set ${sql.join([...assignments, touchColumns(by, now)])}
      where organization_id = ${organizationId} and id = ${id}
        ${ifMatch ? sql`and version = any(${ifMatch}::int[])` : sql``}
        ${links ? sql`` : sql`and (${sql.join(differences, sql` or `)})`}
      returning *
    ), ${insertRevision(by, resource, 'update', links ? sql`${links}` : undefined)}
    select ${resource.fields(organizationId)}, version from changed as ${table}`
}

/**
 * Changes the columns that the patch names, `undefined` ones excepted: writers of different columns don't undo each other. A
 * patch that changes nothing writes nothing. `links` are attachments that this transaction has changed: they make a new
 * version by themselves. 404, 409 for a conflict, or 412 with the current ETag.
 */
export async function update<Wire, T extends Table, V extends Columns<T>>(
  context: Context,
  resource: Resource<Wire, T>,
  id: string,
  patch: Exactly<Columns<T>, V>,
  links: LinkChange[] = [],
): Promise<Wire & Versioned> {
  const given: Readonly<Record<string, unknown>> = patch
  const columns = Object.keys(given).filter((column) => given[column] !== undefined)
  if (columns.length === 0 && links.length === 0) return unchanged(context, resource, id)
  const { organizationId, userId, keyId, requestId, author, ifMatch } = context.actor
  const values = {
    ...{ organizationId, userId, keyId, requestId, author, id },
    now: new Date().toISOString(),
    ifMatch: ifMatch && [...ifMatch],
    links: links.length > 0 ? JSON.stringify(links) : undefined,
    ...Object.fromEntries(columns.map((column) => [`column ${column}`, toParameter(given[column])])),
  }
  const statement = context.database.statements.compile(resource, `update ${columns}`, values, (parameters) =>
    updateStatement(resource, columns, parameters),
  )
  const row = await changeRow(context, statement, resource.conflicts)
  return row ? toWire<Wire>(row) : unchanged(context, resource, id)
}

/**
 * Changes several resources by one statement, all in the same columns. Resources that would stay as they are get no new
 * version, and ids that the organization doesn't have are passed over.
 */
export async function updateMany<T extends Table, V extends Columns<T> & { id: string }>(
  context: Context,
  resource: Resource<unknown, T>,
  patches: readonly Exactly<Columns<T>, V>[],
): Promise<void> {
  const [first] = patches
  if (!first) return
  const { organizationId } = context.actor
  const table = sql.table(resource.table)
  const columns = Object.keys(first).filter((column) => column !== 'id')
  const ofTable = (source: string) => sql.join(columns.map((column) => sql.ref(`${source}.${column}`)))
  const assignments = columns.map((column) => sql`${sql.ref(column)} = patch.${sql.ref(column)}`)
  await queryRows(
    context,
    sql`with patches as (
        select * from json_populate_recordset(null::${table}, ${JSON.stringify(patches)}::json)
      ), locked as (
        select id from ${table} where organization_id = ${organizationId} and id in (select id from patches)
        order by id for update
      ), changed as (
        update ${table} set ${sql.join(assignments)}, ${touchColumns(context.actor)}
        from (select id as row_id, ${ofTable('patches')} from patches where id in (select id from locked)) as patch
        where ${table}.organization_id = ${organizationId} and ${table}.id = patch.row_id
          and row(${ofTable(resource.table)})::text is distinct from row(${ofTable('patch')})::text
        returning ${table}.*
      ), ${insertRevision(context.actor, resource, 'update')}
      select 1 from changed`,
    resource.conflicts,
  )
}

/** Deletes a resource and, by the schema's cascades, the rows that depend on it. 404, or 412 with the current ETag. */
export async function remove(context: Context, resource: Resource, id: string): Promise<void> {
  const { organizationId, ifMatch } = context.actor
  const matching = ifMatch ? sql`and version = any(${[...ifMatch]}::int[])` : sql``
  const rows = await queryRows(
    context,
    sql`with changed as (
        delete from ${sql.table(resource.table)}
        where organization_id = ${organizationId} and id = ${id} ${matching} returning *
      ), ${insertRevision(context.actor, resource, 'delete')}
      select 1 from changed`,
  )
  if (rows.length === 0) await unchanged(context, resource, id)
}

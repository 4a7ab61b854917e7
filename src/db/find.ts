import { CompiledQuery, sql } from 'kysely'
import { type Context, checkMatch, filteredRows, notFoundFor, queryRows, readRows, toWire } from './context.ts'
import type { Link } from './link.ts'
import type { Versioned } from './marks.ts'
import type { Resource } from './resource.ts'
import { type Filter, selectOwned, type Table } from './select.ts'

/** One resource, or undefined. */
export async function find<Wire>(
  context: Context,
  resource: Resource<Wire>,
  id: string,
): Promise<(Wire & Versioned) | undefined> {
  const [row] = await readRows(context, CompiledQuery.raw(resource.selectOne, [context.actor.organizationId, id]))
  return row && toWire<Wire>(row)
}

/** One resource. 404 when the organization has none with this id. */
export async function get<Wire>(context: Context, resource: Resource<Wire>, id: string): Promise<Wire & Versioned> {
  const row = await find(context, resource, id)
  if (!row) throw notFoundFor(id)
  return row
}

/** 404 unless the organization has this row. */
export async function exists(context: Context, table: Table, id: string): Promise<void> {
  const { organizationId } = context.actor
  const rows = await readRows(
    context,
    sql`select 1 from ${sql.table(table)} where organization_id = ${organizationId} and id = ${id}`,
  )
  if (rows.length === 0) throw notFoundFor(id)
}

/** Locks a row until the transaction ends. 404, or 412 with the current ETag. */
export async function lock(context: Context, resource: Resource, id: string): Promise<void> {
  const { organizationId } = context.actor
  const [row] = await queryRows<{ version: number }>(
    context,
    sql`select version from ${sql.table(resource.table)}
      where organization_id = ${organizationId} and id = ${id} for update`,
  )
  if (!row) throw notFoundFor(id)
  checkMatch(context, row.version)
}

/** Every row that the filter keeps, as the wire has it: for rows whose number their owner bounds. */
export async function select<Wire, T extends Table>(
  context: Context,
  resource: Resource<Wire, T>,
  filter: Filter<T>,
): Promise<(Wire & Versioned)[]> {
  const { database, actor } = context
  const owned = selectOwned(database.kysely, resource.table, actor.organizationId)
  const query = filter(owned).select(() => sql`${resource.fields(actor.organizationId)}, version` as never)
  return (await readRows(context, query.compile())).map((row) => toWire<Wire>(row))
}

/** The number of rows that the filter keeps. */
export async function count<T extends Table>(
  context: Context,
  resource: Resource<unknown, T>,
  filter: Filter<T> = (query) => query,
): Promise<number> {
  const { database, actor } = context
  const owned = selectOwned(database.kysely, resource.table, actor.organizationId)
  const query = filter(owned).select(() => sql<number>`count(*)`.as('count') as never)
  const [row] = await filteredRows<{ count: number }>(context, query.compile(), filter.signal)
  return row!.count
}

/** The ids attached to an owner, in the order in which they were attached. */
export async function linkedIds(context: Context, link: Link, ownerId: string): Promise<string[]> {
  const { organizationId } = context.actor
  const rows = await readRows<{ id: string }>(
    context,
    sql`select ${sql.ref(link.targetColumn)} as id from ${sql.table(link.table)}
      where organization_id = ${organizationId} and ${sql.ref(link.ownerColumn)} = ${ownerId} order by position`,
  )
  return rows.map((row) => row.id)
}

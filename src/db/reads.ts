import { CompiledQuery, type SelectQueryBuilder, sql } from 'kysely'
import { notFound } from '../lib/errors.ts'
import { nounOf } from '../lib/ids.ts'
import { compileOnce, constancyOf } from './compiled-once.ts'
import { answering, type Context, mine, missing, readRows, readWritten, toWire, type Values } from './context.ts'
import { keyset, type PageQuery } from './page.ts'
import type { Link, PageOf, Resource, Versioned, Written } from './resource.ts'
import type { Tables } from './tables.ts'
import { oneOf, pageOf, type WrittenOne, type WrittenRow, writeOne, writePage } from './written.ts'

export type Table = keyof Tables & string

/** A select over one table of the organization's. */
export type Select<T extends Table> = SelectQueryBuilder<Tables, T, object>

export type Filter<T extends Table> = (query: Select<T>) => Select<T>

/** The verbs that read. */
export function createReads(context: Context) {
  const { organizationId, names = 'neutral' } = context.actor

  /** A select that already names the owner; what is added to it can only narrow it. */
  function from<T extends Table>(table: T): Select<T> {
    const db = context.trx ?? context.database.kysely
    // In a sub-select the planner doesn't see the value: seeing it, it would plan every list anew.
    const owner = sql`(select ${organizationId}::text)`
    return db
      .selectFrom(table as never)
      .where(sql<boolean>`${sql.ref(`${table}.organization_id`)} = ${owner}`) as unknown as Select<T>
  }

  /** One resource, or undefined. */
  async function find<Wire>(resource: Resource<Wire>, id: string): Promise<(Wire & Versioned) | undefined> {
    const [row] = await readRows(context, CompiledQuery.raw(resource.one, [organizationId, id]))
    return row && toWire<Wire>(row)
  }

  /** One resource. 404 when the organization has none with this id. */
  async function get<Wire>(resource: Resource<Wire>, id: string): Promise<Wire & Versioned> {
    const row = await find(resource, id)
    if (!row) throw missing(resource, id)
    return row
  }

  /** 404 unless the organization has the row. Takes the table alone, so that a resource needn't import another. */
  async function exists(table: Table, id: string): Promise<void> {
    const rows = await readRows(context, sql`select 1 from ${sql.table(table)} where ${mine(context, table, id)}`)
    if (rows.length === 0) throw notFound(nounOf(id), id)
  }

  /**
   * One resource ready to go out, by one statement: written by the database, nothing of it can be read here. `written`
   * adds to its own columns. 404 when the organization has none with this id.
   */
  async function retrieve<Wire>(resource: Resource<Wire>, id: string, written?: Written): Promise<Wire & Versioned> {
    const own = resource.written[names]
    const values = [organizationId, id]
    const statement = written
      ? compileOnce(resource, ['one', written.form], values, () =>
          writeOne(resource, organizationId, id, written.parts()),
        )
      : CompiledQuery.raw(own.one, values)
    const found = await readWritten<WrittenOne>(context, statement)
    const one = oneOf<Wire>(found, resource.composed || Boolean(written?.composed), written ?? own)
    if (!one) throw missing(resource, id)
    return one
  }

  /**
   * One page ready to go out, by one statement: written by the database, nothing of it can be read here. 404 for a
   * cursor whose place can't be known.
   */
  async function list<Wire, T extends Table>(
    resource: Resource<Wire, T>,
    page: PageQuery,
    filter?: Filter<T>,
    written: Written = resource.written[names],
  ): Promise<PageOf<Wire>> {
    const keys = keyset(resource, organizationId, page)
    const build = () => {
      let query = from(resource.table)
        .selectAll(resource.table as never)
        .select(() => sql`row_number() over (order by ${keys.orderBy})`.as('n') as never) as Select<T>
      if (filter) query = filter(query)
      for (const condition of keys.where) query = query.where(condition)
      return writePage(resource, keys, query.orderBy(keys.orderBy).limit(keys.size) as never, written.parts())
    }
    const kept = constancyOf(resource.table, filter)
    const statement = kept
      ? compileOnce(resource, ['page', written.form, kept, keys.shape], [organizationId, ...keys.values], build)
      : build()
    const found = await readWritten<WrittenRow>(context, statement)
    // A row shows that the cursors' places were known.
    if (found.rows.length === 0) for (const cursor of keys.cursors) await exists(resource.table, cursor)
    return pageOf(found, keys, written)
  }

  /** Every row the filter keeps, as the resource goes out: for what is bounded by what it belongs to. */
  async function select<Wire, T extends Table>(resource: Resource<Wire, T>, filter: Filter<T>): Promise<Wire[]> {
    const query = filter(from(resource.table)).select(() => resource.fields as never)
    return ((await answering(query.execute())) as Values[]).map((row) => toWire<Wire>(row))
  }

  /** How many rows the same filter keeps. */
  async function count<T extends Table>(resource: Resource<unknown, T>, filter?: Filter<T>): Promise<number> {
    const query = filter ? filter(from(resource.table)) : from(resource.table)
    const [row] = await answering(query.select(() => sql<number>`count(*)`.as('count') as never).execute())
    return (row as { count: number }).count
  }

  /** The ids attached to an owner, in the order they were attached. */
  async function linkedIds(link: Link, ownerId: string): Promise<string[]> {
    const rows = await readRows<{ id: string }>(
      context,
      sql`select ${sql.ref(link.targetColumn)} as id from ${sql.table(link.table)}
        where organization_id = ${organizationId} and ${sql.ref(link.ownerColumn)} = ${ownerId} order by position`,
    )
    return rows.map((row) => row.id)
  }

  return { from, find, get, exists, retrieve, list, select, count, linkedIds }
}

export type Reads = ReturnType<typeof createReads>

import { CompiledQuery, type Expression, type SelectQueryBuilder, sql } from 'kysely'
import { RawJson } from '../lib/json.ts'
import { answering, type Context, mine, missing, rowsOf, toWire, type Values } from './context.ts'
import { keyset, type PageQuery } from './page.ts'
import { type Link, NEXT, type PageOf, type Resource, type Versioned } from './resource.ts'
import type { Tables } from './tables.ts'

export type Table = keyof Tables & string

/** A select over one table of the organization's. */
export type Select<T extends Table> = SelectQueryBuilder<Tables, T, object>

export type Filter<T extends Table> = (query: Select<T>) => Select<T>

/** What is attached to one owner: the ids, and the JSON array of the resources. */
export interface Attached {
  ids: string[]
  json: RawJson
}

/** The verbs that read. */
export function createReads(context: Context) {
  const { organizationId } = context.actor

  /** A select that already names the owner; what is added to it can only narrow it. */
  function from<T extends Table>(table: T): Select<T> {
    const db = context.trx ?? context.database.kysely
    return db
      .selectFrom(table as never)
      .where(sql<boolean>`${sql.ref(`${table}.organization_id`)} = ${organizationId}`) as unknown as Select<T>
  }

  /** One resource, or undefined. */
  async function find<Wire>(resource: Resource<Wire>, id: string): Promise<(Wire & Versioned) | undefined> {
    const [row] = await rowsOf(context, CompiledQuery.raw(resource.one, [organizationId, id]))
    return row && toWire<Wire>(row, resource.composed)
  }

  /** One resource. 404 when the organization has none with this id. */
  async function get<Wire>(resource: Resource<Wire>, id: string): Promise<Wire & Versioned> {
    const row = await find(resource, id)
    if (!row) throw missing(resource, id)
    return row
  }

  /** 404 unless the organization has the resource. */
  async function exists(resource: Resource, id: string): Promise<void> {
    const { table } = resource
    const rows = await rowsOf(context, sql`select 1 from ${sql.table(table)} where ${mine(context, table, id)}`)
    if (rows.length === 0) throw missing(resource, id)
  }

  /**
   * One page, by one statement, ready to go out: written by the database; only the id and the resource's `keys` can be
   * read from it. 404 for a cursor whose place can't be known.
   */
  async function list<Wire, T extends Table>(
    resource: Resource<Wire, T>,
    page: PageQuery,
    filter?: Filter<T>,
  ): Promise<PageOf<Wire>> {
    const { limit, backward, orderBy, where, cursors } = keyset(resource, organizationId, page)
    let query = from(resource.table).select(() => resource.written as never) as Select<T>
    if (filter) query = filter(query)
    for (const condition of where) query = query.where(condition)
    for (const key of orderBy) query = query.orderBy(key as Expression<unknown>)
    const rows = (await answering(query.limit(limit + 1).execute())) as Values[]
    // A row shows that the cursors' places were known.
    if (rows.length === 0) for (const cursor of cursors) await exists(resource, cursor)
    const more = rows.length > limit
    if (more) rows.pop()
    if (backward) rows.reverse()
    const found = rows.map(({ json, ...keys }) => Object.assign(new RawJson(json as string), keys)) as PageOf<Wire>
    if (more) found[NEXT] = backward ? { before: rows[0]!.id as string } : { after: rows.at(-1)!.id as string }
    return found
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
    const rows = await rowsOf<{ id: string }>(
      context,
      sql`select ${sql.ref(link.targetColumn)} as id from ${sql.table(link.table)}
        where organization_id = ${organizationId} and ${sql.ref(link.ownerColumn)} = ${ownerId} order by position`,
    )
    return rows.map((row) => row.id)
  }

  /**
   * What is attached to each of these owners, in order, ready to go out: written already, what several owners share
   * once. By two statements.
   */
  async function linked(link: Link, target: Resource, ownerIds: readonly string[]): Promise<Map<string, Attached>> {
    const links = await rowsOf<{ owner: string; target: string }>(
      context,
      sql`select ${sql.ref(link.ownerColumn)} as owner, ${sql.ref(link.targetColumn)} as target
        from ${sql.table(link.table)}
        where organization_id = ${organizationId} and ${sql.ref(link.ownerColumn)} = any(${ownerIds}::text[])
        order by position`,
    )
    if (links.length === 0) return new Map()
    const ids = [...new Set(links.map((row) => row.target))]
    const { table } = target
    const rows = await rowsOf<{ id: string; json: string }>(
      context,
      sql`select ${target.written} from ${sql.table(table)} where ${sql.ref(`${table}.organization_id`)} =
        ${organizationId} and ${sql.ref(`${table}.id`)} = any(${ids}::text[])`,
    )
    const written = new Map(rows.map((row) => [row.id, row.json]))
    // What was deleted since the links were read is attached no longer.
    const byOwner = Map.groupBy(
      links.filter((row) => written.has(row.target)),
      (row) => row.owner,
    )
    return new Map(
      [...byOwner].map(([owner, attached]) => {
        const targets = attached.map((row) => row.target)
        return [owner, { ids: targets, json: new RawJson(`[${targets.map((id) => written.get(id)).join()}]`) }]
      }),
    )
  }

  return { from, find, get, exists, list, select, count, linkedIds, linked }
}

export type Reads = ReturnType<typeof createReads>

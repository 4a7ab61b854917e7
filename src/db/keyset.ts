import { type RawBuilder, sql } from 'kysely'
import { instantOf } from '../lib/ids.ts'
import type { Values } from './engine/statement-cache.ts'
import type { Resource } from './resource.ts'

/** The page of a list, and its order. */
export interface PageQuery {
  limit?: number | undefined
  order?: 'asc' | 'desc' | undefined
  order_by?: string | undefined
  after?: string | undefined
  before?: string | undefined
}

export interface Keyset {
  limit: number
  /** Names the SQL: equal keys mean SQL that differs in values alone. */
  cacheKey: string
  /** The values of the request, by name. */
  values: Values
  /** Whether rows are fetched in reverse: the page is the one just before a cursor. */
  backward: boolean
  /** Cursors without a position of their own: a page needs their rows. */
  cursors: string[]
  /** The SQL of the order and of the bounds of the page, with these values. */
  build(values: Values): KeysetSql
}

interface KeysetSql {
  /** The order in which rows are fetched. */
  orderBy: RawBuilder<unknown>
  /** Conditions that keep the rows between the cursors. */
  where: RawBuilder<boolean>[]
  /** The number of rows to fetch at most. */
  fetchLimit: RawBuilder<number>
}

/**
 * Limits that the planner sees, for it assumes that an unknown limit asks for a tenth of the table. They are few, so that a
 * list has few statements, whose plans stay cached.
 */
const FETCH_LIMITS = [64, 256]

/**
 * The sort key. Rows without a value come last in both orders: each order has a substitute beyond every instant, and an
 * index on exactly this expression.
 */
function sortKey(table: string, column: string, order: 'asc' | 'desc', nullable: boolean): RawBuilder<unknown> {
  const key = sql.ref(`${table}.${column}`)
  if (!nullable) return key
  return order === 'asc' ? sql`coalesce(${key}, 'infinity')` : sql`coalesce(${key}, '-infinity')`
}

/**
 * Keyset pagination over (sort key, id): every page costs the same, and rows that are inserted or deleted meanwhile neither
 * hide nor repeat other rows. A cursor's position is the position of its row; under `created_at` the id itself holds the
 * position (UUIDv7), so that a cursor outlives its row.
 */
export function keysetOf(resource: Resource, page: PageQuery): Keyset {
  const table: string = resource.table
  const order = page.order ?? resource.order
  const column = page.order_by ?? 'created_at'
  const nullable = resource.nullableSortKeys?.includes(column) ?? false
  const { after, before, limit = 50 } = page
  const backward = before !== undefined && after === undefined
  const direction = (order === 'asc') === backward ? sql`desc` : sql`asc`
  const fetchLimit = FETCH_LIMITS.find((size) => size > limit)!
  const instant = (cursor: string | undefined) =>
    cursor && column === 'created_at' ? instantOf(cursor)?.toISOString() : undefined

  const key = sortKey(table, column, order, nullable)
  const id = sql.ref(`${table}.id`)
  const beyond = (cursor: unknown, cursorInstant: unknown, organizationId: unknown, following: boolean) => {
    const row = sql`(select ${sortKey('cursor_row', column, order, nullable)} from ${sql.table(table)} as cursor_row
      where cursor_row.organization_id = ${organizationId} and cursor_row.id = ${cursor})`
    const position = cursorInstant ? sql`coalesce(${row}, ${cursorInstant}::timestamptz)` : row
    const comparison = (order === 'asc') === following ? sql`>` : sql`<`
    return sql<boolean>`(${key}, ${id}) ${comparison} (${position}, ${cursor}::text)`
  }

  return {
    limit,
    cacheKey: `${column} ${order} ${fetchLimit} ${backward}`,
    values: { limit, after, before, afterInstant: instant(after), beforeInstant: instant(before) },
    backward,
    cursors: [after, before].filter((cursor) => cursor !== undefined && !instant(cursor)) as string[],
    build: (values) => ({
      orderBy: sql`${key} ${direction}, ${id} ${direction}`,
      where: [
        ...(values.after ? [beyond(values.after, values.afterInstant, values.organizationId, true)] : []),
        ...(values.before ? [beyond(values.before, values.beforeInstant, values.organizationId, false)] : []),
      ],
      fetchLimit: sql<number>`${sql.lit(fetchLimit)}`,
    }),
  }
}

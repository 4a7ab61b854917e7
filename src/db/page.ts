import { type RawBuilder, sql } from 'kysely'
import { instantOf } from '../lib/ids.ts'
import type { Resource } from './resource.ts'

/** Which page of a list, in which order. */
export interface PageQuery {
  limit?: number | undefined
  order?: 'asc' | 'desc' | undefined
  order_by?: string | undefined
  after?: string | undefined
  before?: string | undefined
}

export interface Keyset {
  limit: number
  /** Tells statements apart that differ in more than their values. */
  shape: string
  /** What of the request the statement holds. */
  values: unknown[]
  /** As many rows as are fetched at most. */
  size: RawBuilder<number>
  /** Rows are fetched from the far end and turned round: the page is the one just before a cursor. */
  backward: boolean
  /** The order the rows are fetched in. */
  orderBy: RawBuilder<unknown>
  /** Keeps the rows on the asked-for side of the cursors. */
  where: RawBuilder<boolean>[]
  /** Cursors whose place only their row can tell. */
  cursors: string[]
}

/**
 * Limits the planner can see, for it plans a page as long as a tenth of the table otherwise: few, so that a list has few
 * statements and their plans are kept.
 */
const SIZES = [64, 256].map((size) => [size, sql<number>`${sql.lit(size)}`] as const)

/**
 * The sort key. Rows without a value come last in both directions: each direction has a stand-in beyond every instant,
 * and an index on exactly this expression.
 */
function sortKey(table: string, column: string, order: 'asc' | 'desc'): RawBuilder<unknown> {
  const key = sql.ref(`${table}.${column}`)
  if (column !== 'last_run_completion') return key
  return order === 'asc' ? sql`coalesce(${key}, 'infinity')` : sql`coalesce(${key}, '-infinity')`
}

/**
 * Keyset pagination over (sort key, id): a page costs the same wherever it is, and rows that come and go meanwhile
 * neither hide nor repeat another. A cursor's place is its row's; under `created_at` it is also in the id itself
 * (UUIDv7), so a cursor outlives its row.
 */
export function keyset(resource: Resource<unknown>, organizationId: string, page: PageQuery): Keyset {
  const table = resource.table as string
  const order = page.order ?? resource.order
  const column = page.order_by ?? 'created_at'
  const backward = page.before !== undefined && page.after === undefined
  const key = sortKey(table, column, order)
  const id = sql.ref(`${table}.id`)

  const place = (cursor: string) => {
    const row = sql`(select ${sortKey('place', column, order)} from ${sql.table(table)} as place
      where place.organization_id = ${organizationId} and place.id = ${cursor})`
    const instant = column === 'created_at' ? instantOf(cursor) : undefined
    return instant ? sql`coalesce(${row}, ${instant.toISOString()}::timestamptz)` : row
  }
  const beyond = (cursor: string, following: boolean) =>
    (order === 'asc') === following
      ? sql<boolean>`(${key}, ${id}) > (${place(cursor)}, ${cursor}::text)`
      : sql<boolean>`(${key}, ${id}) < (${place(cursor)}, ${cursor}::text)`

  const cursors = [page.after, page.before]
  const limit = page.limit ?? 50
  const [most, size] = SIZES.find(([size]) => size > limit)!
  const where: RawBuilder<boolean>[] = []
  if (page.after !== undefined) where.push(beyond(page.after, true))
  if (page.before !== undefined) where.push(beyond(page.before, false))
  const direction = (order === 'asc') === backward ? sql`desc` : sql`asc`
  return {
    limit,
    shape: `${column} ${order} ${most}`,
    values: [limit, ...cursors, ...cursors.map((cursor) => cursor && instantOf(cursor)?.toISOString())],
    size,
    backward,
    orderBy: sql`${key} ${direction}, ${id} ${direction}`,
    where,
    cursors: cursors.filter(
      (cursor) => cursor !== undefined && !(column === 'created_at' && instantOf(cursor)),
    ) as string[],
  }
}

import type { Expression } from 'kysely'
import { sql } from 'kysely'
import type { Resource } from './resource.ts'
import type { Scope } from './scope.ts'
import type { Filter, Table } from './select.ts'

/** The part of a list whose pages are counted, not walked by cursors. */
export interface OffsetQuery {
  limit?: number | undefined
  offset?: number | undefined
  /** The column to sort by, newest first. */
  order_by?: 'created_at' | 'updated_at' | undefined
}

/** The rows of a list after the first `offset` rows, newest first, by one statement. `more` when others follow. */
export async function listFrom<Wire, T extends Table>(
  scope: Scope,
  resource: Resource<Wire, T>,
  { limit = 50, offset = 0, order_by = 'created_at' }: OffsetQuery,
  filter: Filter<T>,
): Promise<{ rows: Wire[]; more: boolean }> {
  const newest = (column: string) => sql`${sql.ref(`${resource.table}.${column}`)} desc` as Expression<unknown>
  const rows = await scope.select(resource, (query) =>
    filter(query)
      .orderBy(newest(order_by))
      .orderBy(newest('id'))
      .limit(limit + 1)
      .offset(offset),
  )
  return { rows: rows.slice(0, limit), more: rows.length > limit }
}

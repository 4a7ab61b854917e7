import { type RawBuilder, sql } from 'kysely'
import { NEXT, type PageOf } from './marks.ts'

/** A page of long rows ends with the row that takes what it reads beyond this number of bytes. */
const MAX_BYTES = 4_000_000

/** What `firstRows` adds to a row. */
export interface FirstRow {
  /** How many rows there were, one more than the limit at most. */
  found: number
}

/**
 * The first of these rows, one at least, that one page reads: the larger they are, the fewer. `rows` has a column `bytes_read`, and
 * at most one row more than the page; the result has the column `found` besides.
 */
export const firstRows = (rows: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`
  select * from (
    select *, count(*) over () as found,
      coalesce(sum(bytes_read) over (${order} rows between unbounded preceding and 1 preceding), 0) as bytes_before
    from ${rows} as fetched
  ) as sized where bytes_before < ${sql.lit(MAX_BYTES)}`

/** The page of these rows, in the order of the list. `backward` says that they were fetched in the reverse of it. */
export function pageOf<Row extends FirstRow, Wire extends { id: string }>(
  rows: readonly Row[],
  limit: number,
  backward: boolean,
  toWire: (row: Row) => Wire,
): PageOf<Wire> {
  const page: PageOf<Wire> = rows.slice(0, limit).map(toWire)
  const last = page.at(-1)
  if (backward) page.reverse()
  if (last && rows[0]!.found > page.length) page[NEXT] = backward ? { before: last.id } : { after: last.id }
  return page
}

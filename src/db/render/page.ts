import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Keyset } from '../keyset.ts'
import { NEXT } from '../marks.ts'
import { aggregateFragments, parseFragments, replacePlaceholders } from './fragments.ts'
import { Rendered } from './rendered.ts'
import type { Rendering, RenderingSql } from './rendering.ts'

/**
 * SQL that keeps the rows whose `column` is an id of the page. A list of ids is one walk of an index, where a join would be
 * a walk for each row.
 */
export const onPage = (column: RawBuilder<unknown>) => sql`${column} = any((select ids from page_ids)::text[])`

/** The rows to render, and the tables that depend on their ids. */
export const withPage = (page: RawBuilder<unknown>, tables: readonly RawBuilder<unknown>[]) =>
  tables.length === 0
    ? sql`with page as (${page})`
    : sql`with page as (${page}), page_ids as materialized (select array(select id from page) as ids),
      ${sql.join(tables)}`

/** The rows of a page in one row of the result: a batch fits the driver's buffers, and costs less than its rows apart. */
const BATCH_ROWS = 8

/** A row of the result of a page's statement: a batch of items, or the fragments of all items. */
export interface RenderedBatch {
  /** The JSON of the items, separated by commas; null for the fragments, and for a batch beyond the page. */
  json: string | null
  fragments: string | null
  /** The id of the page's last row in the order in which rows are fetched, if this batch has that row. */
  last_id: string | null
  /** Whether the batch has the row after the page. */
  more: boolean
}

/**
 * Renders a page in batches of items. `rows` selects the rows in the order of the keyset, each with its number `n`; it may
 * select more rows than the page holds.
 */
export function pageStatement(
  table: string,
  limit: unknown,
  backward: boolean,
  rows: Expression<unknown>,
  { json, tables = [], joins = [], fragments = [] }: RenderingSql,
) {
  const row = sql.table(table)
  const direction = sql.raw(backward ? 'desc' : 'asc')
  const batch = sql`(n - 1) / ${sql.lit(BATCH_ROWS)}`
  // One row more than the limit tells whether there is a next page. That row isn't rendered.
  const page = sql`select * from ${rows} as ${row} where n <= ${limit}::int + 1`
  const batches = sql`
    select string_agg(${json}, ',' order by n ${direction}) filter (where n <= ${limit}) as json, null as fragments,
      max(${row}.id) filter (where n = ${limit}) as last_id, bool_or(n > ${limit}) as more
    from page as ${row} ${sql.join(joins, sql` `)} group by ${batch} order by ${batch} ${direction}`
  if (fragments.length === 0) return sql<RenderedBatch>`${withPage(page, tables)} ${batches}`
  return sql<RenderedBatch>`${withPage(page, tables)}
    select null as json, ${aggregateFragments(fragments)} as fragments, null as last_id, false as more
    union all (${batches})`
}

/** A rendered page with the cursor of the next one. */
export function renderPage<Wire>(
  result: readonly RenderedBatch[],
  { backward }: Keyset,
  { decryptSecrets = (text) => text }: Rendering,
): Rendered<Wire[]> {
  const aggregated = result.find(({ fragments }) => fragments !== null)?.fragments ?? ''
  const fragments = parseFragments(decryptSecrets(aggregated))
  const batches = result.flatMap(({ json }) => (json === null ? [] : [json]))
  const items = batches.flatMap((json, n) => [n > 0 ? ',' : '[', ...replacePlaceholders(json, fragments)])
  const last = result.find(({ last_id }) => last_id !== null)?.last_id
  const next = last && result.some(({ more }) => more) && (backward ? { before: last } : { after: last })
  return new Rendered(items.length > 0 ? [...items, ']'] : ['[]'], {
    isEmpty: items.length === 0,
    ...(next && { [NEXT]: next }),
  })
}

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

/** A page ends with the item that reaches so many bytes: a page is several times in memory. */
const MAX_BYTES = 1 << 24

/** The most bytes of one resource with what is attached to it: whatever one request creates is less. */
export const MAX_RESOURCE_MB = 32

/** SQL that is true for a resource of so many bytes. The statement fails for a larger one: 422 that names the id. */
export const isReadable = (bytes: RawBuilder<unknown>, id: RawBuilder<unknown>) =>
  sql<boolean>`(${bytes} <= ${sql.lit(MAX_RESOURCE_MB << 20)} or refuse_size(${id}))`

/** A row of the result of a page's statement: a batch of items, or the fragments of all items. */
export interface RenderedBatch {
  /** The JSON of the items, separated by commas; null for the fragments. */
  json: string | null
  fragments: string | null
  /** The id of the batch's last row in the order in which rows are fetched, unless that row is the last of all. */
  next: string | null
}

/** SQL of the columns by which `pageRows` keeps rows, for rows in this order whose values have these bytes. */
export function pageColumns(orderBy: RawBuilder<unknown>, bytes: RawBuilder<unknown>) {
  const over = sql`over (order by ${orderBy} rows unbounded preceding)`
  return sql`row_number() ${over} as n, sum(${bytes}) ${over} as bytes_so_far, lead(true) ${over} as followed`
}

/** SQL that keeps the rows of a page; the statement fails for a row that is too large. A row of the page that is `followed` by another has a next page behind it. */
export const pageRows = (limit: unknown, rows: Expression<unknown>, table = 'page') => sql`
  select * from (select *, lag(bytes_so_far, 1, 0) over (order by n) as bytes_before from ${rows} as fetched) as ${sql.table(table)}
  where n <= ${limit}::int and bytes_before < ${sql.lit(MAX_BYTES)}
    and ${isReadable(sql`bytes_so_far - bytes_before`, sql`id`)}`

/**
 * Renders a page in batches of items. `rows` selects the rows in the order of the keyset, each with its `pageColumns`; it
 * selects more rows than the page holds, if there are more.
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
  const page = pageRows(limit, rows, table)
  const batches = sql`
    select string_agg(${json}, ',' order by n ${direction}) as json, null as fragments,
      (array_agg(case when followed then ${row}.id end order by n desc))[1] as next
    from page as ${row} ${sql.join(joins, sql` `)} group by ${batch} order by ${batch} ${direction}`
  if (fragments.length === 0) return sql<RenderedBatch>`${withPage(page, tables)} ${batches}`
  return sql<RenderedBatch>`${withPage(page, tables)}
    select null as json, ${aggregateFragments(fragments)} as fragments, null as next
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
  const batches = result.filter(({ json }) => json !== null)
  const items = batches.flatMap(({ json }, n) => [n > 0 ? ',' : '[', ...replacePlaceholders(json!, fragments)])
  const last = batches.at(backward ? 0 : -1)?.next
  const next = last && (backward ? { before: last } : { after: last })
  return new Rendered(items.length > 0 ? [...items, ']'] : ['[]'], {
    isEmpty: items.length === 0,
    ...(next && { [NEXT]: next }),
  })
}

import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Keyset } from '../keyset.ts'
import { NEXT } from '../marks.ts'
import { aggregateFragments, parseFragments, replacePlaceholders, replacing } from './fragments.ts'
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

/** The rows of a page that one row of the statement's result holds: few enough for the driver's buffers. */
const BATCH_ROWS = 8

/** A row of the result of a page's statement: a batch of items, or the fragments of all items. */
export interface RenderedBatch {
  /** The JSON of the items, separated by commas; null for the fragments, and for a batch beyond the page. */
  json: string | null
  fragments: string | null
  /** The id of the page's last row in the order in which rows are fetched, if this batch has it. */
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
    select string_agg(${json}, ',' order by n ${direction}) filter (where n <= ${limit}) as json,
      max(${row}.id) filter (where n = ${limit}) as last_id, bool_or(n > ${limit}) as more, null as fragments
    from page as ${row} ${sql.join(joins, sql` `)} group by ${batch} order by ${batch} ${direction}`
  return sql<RenderedBatch>`
    ${withPage(page, tables)}
    ${fragments.length === 0 ? batches : sql`select null as json, null as last_id, false as more, ${aggregateFragments(fragments)} as fragments union all (${batches})`}`
}

/** The segments of JSON whose ciphertexts and placeholders are replaced. */
export const segmentsOf = (json: string, fragments: string, { decryptSecrets }: Rendering) =>
  replacePlaceholders(json, decryptSecrets ? decryptSecrets(fragments) : fragments)

/** A rendered page with the cursor of the next one. */
export function renderPage<Wire>(
  batches: readonly RenderedBatch[],
  { backward }: Keyset,
  { decryptSecrets = (text) => text }: Rendering,
): Rendered<Wire[]> {
  const aggregated = batches.find((batch) => batch.fragments !== null)?.fragments
  const replace = aggregated ? replacing(parseFragments(decryptSecrets(aggregated))) : (json: string) => [json]
  const segments: string[] = []
  for (const { json } of batches) {
    if (json === null) continue
    segments.push(segments.length === 0 ? '[' : ',')
    for (const segment of replace(json)) segments.push(segment)
  }
  const last_id = batches.find((batch) => batch.last_id)?.last_id
  const next = batches.some(({ more }) => more) && (backward ? { before: last_id! } : { after: last_id! })
  return segments.length === 0
    ? new Rendered(['[]'], { isEmpty: true })
    : new Rendered([...segments, ']'], { isEmpty: false, ...(next && { [NEXT]: next }) })
}

import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Keyset } from '../keyset.ts'
import { NEXT } from '../marks.ts'
import { aggregateFragments, replacePlaceholders } from './fragments.ts'
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

/** The result of a page's statement. */
export interface RenderedPage {
  /** The JSON of the items, separated by commas; null for a page without items. */
  json: string | null
  fragments: string
  /** The id of the page's last row in the order in which rows are fetched, when the page is full. */
  last_id: string | null
  more: boolean
}

/**
 * Renders a page as one text. `rows` selects the rows in the order of the keyset, each with its number `n`; it may select more
 * rows than the page holds.
 */
export function pageStatement(
  table: string,
  limit: unknown,
  backward: boolean,
  rows: Expression<unknown>,
  { json, tables = [], joins = [], fragments = [] }: RenderingSql,
) {
  const row = sql.table(table)
  // One row more than the limit tells whether there is a next page. That row isn't rendered.
  const page = sql`select * from ${rows} as ${row} where n <= ${limit}::int + 1`
  return sql<RenderedPage>`
    ${withPage(page, tables)}
    select string_agg(${json}, ',' order by n ${sql.raw(backward ? 'desc' : 'asc')}) filter (where n <= ${limit}) as json,
      max(${row}.id) filter (where n = ${limit}) as last_id, count(*) > ${limit} as more,
      ${aggregateFragments(fragments)} as fragments
    from page as ${row} ${sql.join(joins, sql` `)}`
}

/** The segments of JSON whose ciphertexts and placeholders are replaced. */
export const segmentsOf = (json: string, fragments: string, { decryptSecrets }: Rendering) =>
  replacePlaceholders(json, decryptSecrets ? decryptSecrets(fragments) : fragments)

/** A rendered page with the cursor of the next one. */
export function renderPage<Wire>(
  { json, fragments, last_id, more }: RenderedPage,
  { backward }: Keyset,
  rendering: Rendering,
): Rendered<Wire[]> {
  const segments = json === null ? [] : segmentsOf(json, fragments, rendering)
  return new Rendered(['[', ...segments, ']'], {
    isEmpty: json === null,
    ...(more && { [NEXT]: backward ? { before: last_id! } : { after: last_id! } }),
  })
}

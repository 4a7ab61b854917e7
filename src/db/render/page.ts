import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Keyset } from '../keyset.ts'
import type { Cursor } from '../marks.ts'
import { aggregateFragments, parseFragments, replacePlaceholders } from './fragments.ts'
import { listOf, type Rendered } from './rendered.ts'
import type { RenderedRow, Rendering, RenderingSql } from './rendering.ts'

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

/** A row of a rendered page, with its number in the order of the statement. */
export interface NumberedRow extends RenderedRow {
  n: number | null
}

/**
 * Renders a page, a row each. `rows` selects the rows in the order of the keyset, each with its number `n`; it may select
 * more rows than the page holds.
 */
export function pageStatement(
  table: string,
  limit: unknown,
  rows: Expression<unknown>,
  { json, tables = [], joins = [], fragments = [] }: RenderingSql,
) {
  const row = sql.table(table)
  // One row more than the limit tells whether there is a next page. That row isn't rendered.
  const page = sql`select * from ${rows} as ${row} where n <= ${limit}::int + 1`
  const rendered = sql`case when n <= ${limit} then ${json} end`
  return sql<NumberedRow>`
    ${withPage(page, tables)}
    select n::int, ${row}.id, ${rendered} as json from page as ${row} ${sql.join(joins, sql` `)}
    ${sql.join(
      fragments.map((name) => sql`union all select null, null, ${aggregateFragments(name)}`),
      sql` `,
    )}`
}

/** The JSON of rendered rows, in segments, and the fragments replaced. */
export function segmentsOf(rows: readonly RenderedRow[], { decryptSecrets = (text) => text }: Rendering) {
  const texts = rows.flatMap(({ id, json }) => (id === null && json !== null ? [decryptSecrets(json)] : []))
  const fragments = parseFragments(texts)
  return ({ json }: RenderedRow) => (fragments.size > 0 ? replacePlaceholders(json!, fragments) : [json!])
}

/** A rendered page, in the order of the list, with the cursor of the next one. */
export function renderPage<Wire>(
  found: readonly NumberedRow[],
  { limit, backward }: Keyset,
  rendering: Rendering,
): Rendered<Wire[]> {
  const rows = found.filter(({ n }) => n !== null).sort((one, other) => one.n! - other.n!)
  const more = rows.length > limit
  if (more) rows.length = limit
  if (backward) rows.reverse()
  const next: Cursor | undefined = !more ? undefined : backward ? { before: rows[0]!.id! } : { after: rows.at(-1)!.id! }
  return listOf<Wire>(rows.map(segmentsOf(found, rendering)), next)
}

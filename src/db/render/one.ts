import { sql } from 'kysely'
import { COMPOSED, VERSION } from '../marks.ts'
import { aggregateFragments } from './fragments.ts'
import { segmentsOf, withPage } from './page.ts'
import { Rendered } from './rendered.ts'
import type { RenderedRow, Rendering, RenderingSql } from './rendering.ts'

/** The rendered row of one resource, with its version. */
interface VersionedRow extends RenderedRow {
  version: number
}

/** Renders one row of an organization. */
export function oneStatement(
  table: string,
  organizationId: unknown,
  id: unknown,
  { json, tables = [], joins = [], fragments = [] }: RenderingSql,
) {
  const row = sql.table(table)
  const page = sql`select * from ${row} where organization_id = ${organizationId} and id = ${id}`
  return sql<VersionedRow>`
    ${withPage(page, tables)}
    select ${row}.version, ${row}.id, ${json} as json from page as ${row} ${sql.join(joins, sql` `)}
    ${sql.join(
      fragments.map((name) => sql`union all select null, null, ${aggregateFragments(name)}`),
      sql` `,
    )}`
}

/** One rendered resource, or undefined when the statement found no row. */
export function renderOne<Wire>(rows: readonly VersionedRow[], composed: boolean, rendering: Rendering) {
  const row = rows.find(({ id }) => id !== null)
  if (!row) return undefined
  return new Rendered<Wire>(segmentsOf(rows, rendering)(row), { [VERSION]: row.version, [COMPOSED]: composed })
}

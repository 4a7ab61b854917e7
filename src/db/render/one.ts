import { sql } from 'kysely'
import { COMPOSED, VERSION } from '../marks.ts'
import { aggregateFragments, parseFragments, replacePlaceholders } from './fragments.ts'
import { isReadable, withPage } from './page.ts'
import { Rendered } from './rendered.ts'
import type { Rendering, RenderingSql } from './rendering.ts'

/** The result of the statement of one resource. */
export interface RenderedRow {
  version: number
  json: string
  /** Absent for a rendering without fragments. */
  fragments?: string
}

/** Renders one row of an organization. */
export function oneStatement(
  table: string,
  organizationId: unknown,
  id: unknown,
  { json, tables = [], joins = [], fragments = [], bytes = [] }: RenderingSql,
) {
  const row = sql.table(table)
  const readable = isReadable(sql.join([sql`0`, ...bytes], sql` + `), sql`id`)
  const page = sql`select * from ${row} where organization_id = ${organizationId} and id = ${id} and ${readable}`
  return sql<RenderedRow>`
    ${withPage(page, tables)}
    select ${row}.version, ${json} as json, ${aggregateFragments(fragments)} as fragments
    from page as ${row} ${sql.join(joins, sql` `)}`
}

/** One rendered resource. */
export const renderOne = <Wire>(
  { version, json, fragments = '' }: RenderedRow,
  { composed, decryptSecrets = (text) => text }: Pick<Rendering, 'composed' | 'decryptSecrets'>,
): Rendered<Wire> =>
  new Rendered(replacePlaceholders(json, parseFragments(decryptSecrets(fragments))), {
    [VERSION]: version,
    [COMPOSED]: composed,
  })

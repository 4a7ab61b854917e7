import { type RawBuilder, sql } from 'kysely'
import type { Link } from '../link.ts'
import type { Resource } from '../resource.ts'
import type { Names } from './json-columns.ts'
import { onPage } from './page.ts'

/** The name of the table of the fragments that a table of attached resources has placeholders for. */
export const fragmentsOf = (name: string) => `${name}_fragments`

/**
 * A table `name` of the resources attached to the rows of `page`, by `owner`: their ids, separated by commas, in the order
 * in which they were attached. The table `fragmentsOf(name)` has the JSON of these resources.
 */
export function attachedTables(
  name: string,
  link: Link,
  target: Resource,
  { organizationId, names }: { organizationId: unknown; names: Names },
): RawBuilder<unknown>[] {
  const links = sql.table(`${name}_links`)
  const row = sql.table(target.table)
  return [
    sql`${links} as materialized (
      select ${sql.ref(link.ownerColumn)} as owner, ${sql.ref(link.targetColumn)} as target, position
      from ${sql.table(link.table)} where organization_id = ${organizationId}
        and ${onPage(sql.ref(link.ownerColumn))})`,
    sql`${sql.table(fragmentsOf(name))} as (
      select ${row}.id, ${target.rendering[names].build(organizationId).json} as json from ${row}
      where ${row}.organization_id = ${organizationId} and ${row}.id = any(array(select target from ${links})))`,
    // Materialized, as the other tables are: without statistics the planner would compute the table for each row.
    sql`${sql.table(name)} as materialized (
      select owner, string_agg(target, ',' order by position) as ids from ${links} group by owner)`,
  ]
}

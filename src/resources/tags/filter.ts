import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'

/** The tables whose rows have tags and identities, and the column that names such a row in their join tables. */
const COLUMNS = { agents: 'agent_id', blocks: 'block_id' } as const

type Table = keyof typeof COLUMNS

/** Keeps the rows of join table `link` that belong to the organization and to the row of `table`. */
const ofRow = (scope: Scope, table: Table) => sql`link.organization_id = ${scope.organizationId}
  and ${sql.ref(`link.${COLUMNS[table]}`)} = ${sql.ref(`${table}.id`)}`

/** Conditions that keep the rows with any of these tags, or with all of them. A repeated tag changes nothing. */
export function hasTags(
  scope: Scope,
  table: Table,
  tags: readonly string[] = [],
  all: boolean | undefined = false,
): RawBuilder<boolean>[] {
  const groups = all ? [...new Set(tags)].map((tag) => [tag]) : tags.length > 0 ? [tags] : []
  return groups.map(
    (group) => sql<boolean>`exists (select from ${sql.table(`${table}_tags`)} link
      where ${ofRow(scope, table)} and link.tag = any(${group}::text[]))`,
  )
}

/** Conditions that keep the rows linked to this identity, and the rows linked to an identity with one of these keys. */
export function hasIdentity(
  scope: Scope,
  table: Table,
  { identity_id, identifier_keys }: { identity_id?: string | undefined; identifier_keys?: string[] | undefined },
): RawBuilder<boolean>[] {
  const links = sql`from ${sql.table(`${table}_identities`)} link`
  const byId = sql<boolean>`exists (select ${links} where ${ofRow(scope, table)} and link.identity_id = ${identity_id})`
  const byKey = sql<boolean>`exists (select ${links} join identities
      on identities.organization_id = ${scope.organizationId} and identities.id = link.identity_id
    where ${ofRow(scope, table)} and identities.identifier_key = any(${identifier_keys}::text[]))`
  return [...(identity_id === undefined ? [] : [byId]), ...(identifier_keys === undefined ? [] : [byKey])]
}

/** Keeps the rows whose JSON array of tags, in `column`, contains any of these tags, or all of them. */
export const tagsMatch = (
  tags: readonly string[],
  match: 'any' | 'all' = 'any',
  column: RawBuilder<unknown> = sql.ref('tags'),
): RawBuilder<boolean> => (match === 'all' ? sql`${column} ?& ${tags}::text[]` : sql`${column} ?| ${tags}::text[]`)

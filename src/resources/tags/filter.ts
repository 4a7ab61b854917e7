import { type RawBuilder, sql } from 'kysely'

/** What bears tags and is linked to identities: its table, and its column in the tables that say so. */
const COLUMNS = { agents: 'agent_id', blocks: 'block_id' } as const

type Table = keyof typeof COLUMNS

/** Keeps the rows with any of these tags, or with all of them. Naming one twice changes nothing. */
export function bearing(table: Table, tags: readonly string[] = [], all = false): RawBuilder<boolean>[] {
  const wanted = all ? [...new Set(tags)].map((tag) => [tag]) : tags.length > 0 ? [tags] : []
  return wanted.map(
    (any) => sql<boolean>`exists (select from ${sql.table(`${table}_tags`)} t
      where t.organization_id = ${sql.ref(`${table}.organization_id`)}
        and ${sql.ref(`t.${COLUMNS[table]}`)} = ${sql.ref(`${table}.id`)} and t.tag = any(${any}::text[]))`,
  )
}

/** Keeps the rows linked to this identity, and to any identity with one of these keys; each row once. */
export function linkedTo(
  table: Table,
  { identity_id, identifier_keys }: { identity_id?: string | undefined; identifier_keys?: string[] | undefined },
): RawBuilder<boolean>[] {
  const links = sql`from ${sql.table(`${table}_identities`)} l`
  const own = sql`l.organization_id = ${sql.ref(`${table}.organization_id`)}
    and ${sql.ref(`l.${COLUMNS[table]}`)} = ${sql.ref(`${table}.id`)}`
  return [
    ...(identity_id === undefined
      ? []
      : [sql<boolean>`exists (select ${links} where ${own} and l.identity_id = ${identity_id})`]),
    ...(identifier_keys === undefined
      ? []
      : [
          sql<boolean>`exists (select ${links} join identities i
              on i.organization_id = l.organization_id and i.id = l.identity_id
            where ${own} and i.identifier_key = any(${identifier_keys}::text[]))`,
        ]),
  ]
}

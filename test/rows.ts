import { sql } from 'kysely'
import type { Database } from '../src/db/engine/database.ts'

/** The tables whose rows belong to an organization. */
export async function ownedTables(database: Database): Promise<string[]> {
  const { rows } = await sql<{ table_name: string }>`
    select table_name from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and column_name = 'organization_id' and table_type = 'BASE TABLE'
    order by table_name`.execute(database.kysely)
  return rows.map((row) => row.table_name)
}

/** SQL: every row of an organization as JSON, with the name of its table; when its keys were last used left out. */
const owned = (tables: readonly string[], organizationId: string) =>
  sql.join(
    [
      sql`select 'organizations' as of, to_jsonb(t)::text as row from organizations as t where id = ${organizationId}`,
      ...tables.map(
        (table) => sql`select ${sql.lit(table)} as of, (to_jsonb(t) - 'last_used_at')::text as row
          from ${sql.table(table)} as t where organization_id = ${organizationId}`,
      ),
    ],
    sql` union all `,
  )

/** Every row of an organization, by table; when its keys were last used left out. */
export async function rowsOf(database: Database, organizationId: string): Promise<Record<string, string[]>> {
  const tables = await ownedTables(database)
  const { rows } = await sql<{ of: string; row: string }>`${owned(tables, organizationId)} order by 1, 2`.execute(
    database.kysely,
  )
  const found: Record<string, string[]> = Object.fromEntries([...tables, 'organizations'].map((table) => [table, []]))
  for (const { of, row } of rows) found[of]!.push(row)
  return found
}

/** A digest of every row of an organization: equal as long as `rowsOf` is, and quicker to read. */
export async function digestOf(
  database: Database,
  tables: readonly string[],
  organizationId: string,
): Promise<string | null> {
  const { rows } = await sql<{ digest: string | null }>`
    select md5(string_agg(md5(of || row), '' order by md5(of || row))) as digest
    from (${owned(tables, organizationId)}) as t`.execute(database.kysely)
  return rows[0]!.digest
}

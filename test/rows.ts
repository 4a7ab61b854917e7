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

/** Every row of an organization, by table; when its keys were last used left out. */
export async function rowsOf(database: Database, organizationId: string): Promise<Record<string, string[]>> {
  const tables = await ownedTables(database)
  const parts = tables.map(
    (table) => sql`select ${sql.lit(table)} as of, (to_jsonb(t) - 'last_used_at')::text as row
      from ${sql.table(table)} as t where organization_id = ${organizationId}`,
  )
  const { rows } = await sql<{ of: string; row: string }>`
    select 'organizations' as of, to_jsonb(t)::text as row from organizations as t where id = ${organizationId}
    union all ${sql.join(parts, sql` union all `)} order by 1, 2`.execute(database.kysely)
  const found: Record<string, string[]> = Object.fromEntries([...tables, 'organizations'].map((table) => [table, []]))
  for (const { of, row } of rows) found[of]!.push(row)
  return found
}

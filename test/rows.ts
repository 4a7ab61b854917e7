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
  const found: Record<string, string[]> = {}
  for (const table of await ownedTables(database)) {
    const { rows } = await sql<{ row: string }>`select (to_jsonb(t) - 'last_used_at')::text as row
      from ${sql.table(table)} as t where organization_id = ${organizationId} order by 1`.execute(database.kysely)
    found[table] = rows.map(({ row }) => row)
  }
  const { rows } = await sql<{ row: string }>`
    select to_jsonb(t)::text as row from organizations as t where id = ${organizationId}`.execute(database.kysely)
  return { ...found, organizations: rows.map(({ row }) => row) }
}

import { sql } from 'kysely'
import { piecesOf } from './pieces.ts'
import type { Scope } from './scope.ts'

/**
 * Adds rows of the organization's to a table that keeps no versions, however many: by one statement per 4 MB. Each row
 * names every column it has a value for; columns that no row names, and nulls, are null.
 */
export async function insertRecords(scope: Scope, table: string, rows: readonly object[]): Promise<void> {
  const named = new Set<string>()
  for (const row of rows) for (const column in row) named.add(column)
  const columns = [...named].map((column) => sql.ref(column))
  for (const piece of piecesOf(rows)) {
    await scope.query(sql`insert into ${sql.table(table)} (organization_id, ${sql.join(columns)})
      select ${scope.organizationId}, ${sql.join(columns)}
      from jsonb_populate_recordset(null::${sql.table(table)}, ${piece}::jsonb)`)
  }
}

import { sql } from 'kysely'
import { jsonBatches } from './insert.ts'
import type { Scope } from './scope.ts'

/**
 * Inserts rows of the organization into a table without versions, by one statement per 100 kB of JSON. A column that a row
 * doesn't name is null.
 */
export async function insertRecords(scope: Scope, table: string, rows: readonly object[]): Promise<void> {
  const named = new Set<string>()
  for (const row of rows) for (const column in row) named.add(column)
  const columns = sql.join([...named].map((column) => sql.ref(column)))
  for (const batch of jsonBatches(rows)) {
    await scope.query(sql`insert into ${sql.table(table)} (organization_id, ${columns})
      select ${scope.organizationId}, ${columns} from json_populate_recordset(null::${sql.table(table)}, ${batch}::json)`)
  }
}

import { sql } from 'kysely'
import type { Scope } from './scope.ts'

/** How much JSON travels in one statement, in characters, unless a single row is longer. */
const MOST = 4_000_000

/**
 * Adds rows of the organization's to a table that keeps no versions, however many: by one statement per 4 MB. Each row
 * names every column it has a value for; columns that no row names, and nulls, are null.
 */
export async function insertRecords(scope: Scope, table: string, rows: readonly object[]): Promise<void> {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].map((column) => sql.ref(column))
  const insert = (texts: readonly string[]) =>
    scope.query(sql`insert into ${sql.table(table)} (organization_id, ${sql.join(columns)})
      select ${scope.organizationId}, ${sql.join(columns)}
      from jsonb_populate_recordset(null::${sql.table(table)}, ${`[${texts.join()}]`}::jsonb)`)
  let texts: string[] = []
  let length = 0
  for (const row of rows) {
    const text = JSON.stringify(row)
    if (texts.length > 0 && length + text.length > MOST) {
      await insert(texts)
      texts = []
      length = 0
    }
    texts.push(text)
    length += text.length
  }
  if (texts.length > 0) await insert(texts)
}

import { sql } from 'kysely'
import type { Database } from '../../src/db/engine/database.ts'

export const BATCH = 500

export const range = (length: number): number[] => Array.from({ length }, (_, n) => n)

/** Inserts rows of equal keys, 500 rows per statement. */
export async function insertRows(database: Database, table: string, rows: readonly object[]): Promise<void> {
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH)
    const columns = sql.join(Object.keys(batch[0]!).map((column) => sql.ref(column)))
    await sql`insert into ${sql.table(table)} (${columns})
      select ${columns} from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(batch)}::jsonb)
    `.execute(database.kysely)
  }
}

/** Inserts rows of several tables, in the order of the tables. */
export async function insertTables(database: Database, tables: Record<string, readonly object[]>): Promise<void> {
  for (const [table, rows] of Object.entries(tables)) await insertRows(database, table, rows)
}

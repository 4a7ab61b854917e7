import { sql } from 'kysely'
import type { Database } from '../db/engine/database.ts'

/** Rows that are deleted some time after they were made, if their run is over. */
interface Rule {
  table: string
  /** The column of the rows that are deleted together. */
  key: 'run_id' | 'id'
  hours: number
  where?: string
}

/** Events and ids of messages are kept for resumed streams and repeated requests, named requests for a day. */
const rulesFor = (traceDays: number): Rule[] => [
  { table: 'run_chunks', key: 'run_id', hours: 3 },
  { table: 'run_otids', key: 'run_id', hours: 3, where: 'swept.fingerprint is null' },
  { table: 'run_otids', key: 'run_id', hours: 24, where: 'swept.fingerprint is not null' },
  { table: 'tool_calls', key: 'run_id', hours: 24 * traceDays },
  { table: 'provider_traces', key: 'id', hours: 24 * traceDays },
]

const BATCH = 1_000

/** Deletes up to a thousand old rows of any organization: found without a lock, then deleted by their keys. */
async function deleteBatch({ kysely }: Database, { table, key, hours, where = 'true' }: Rule): Promise<number> {
  const old = sql`swept.created_at < statement_timestamp() - ${hours} * interval '1 hour' and ${sql.raw(where)}`
  const swept = sql`${sql.table(table)} as swept`
  const isOver = sql`not exists (select from runs where runs.organization_id = swept.organization_id
    and runs.id = swept.run_id and runs.status in ('created', 'running'))`
  const { rows } = await sql<{ organization_id: string; key: string }>`
    select swept.organization_id, ${sql.ref(`swept.${key}`)} as key from ${swept} where ${old} and ${isOver}
    order by swept.created_at limit ${BATCH}`.execute(kysely)
  for (const [organizationId, found] of Map.groupBy(rows, (row) => row.organization_id)) {
    await sql`delete from ${swept} where swept.organization_id = ${organizationId}
      and ${sql.ref(`swept.${key}`)} = any(${[...new Set(found.map((row) => row.key))]}::text[]) and ${old}`.execute(
      kysely,
    )
  }
  return rows.length
}

/** Deletes the usage of days that no budget compares any more, of one organization after the other. */
async function sweepUsage({ kysely }: Database): Promise<void> {
  const old = sql`day < (statement_timestamp() - interval '2 days')::date`
  const { rows } = await sql<{
    id: string
  }>`select distinct organization_id as id from usage_days where ${old}`.execute(kysely)
  for (const { id } of rows) await sql`delete from usage_days where organization_id = ${id} and ${old}`.execute(kysely)
}

/**
 * Deletes what runs that are over leave for a time: events and ids of messages after three hours, ids of named requests after a
 * day, requests to providers and the ledger of calls after `traceDays`. The usage of a day is deleted two days later.
 */
export async function sweepRuns(database: Database, traceDays: number): Promise<void> {
  for (const rule of rulesFor(traceDays)) while ((await deleteBatch(database, rule)) === BATCH);
  await sweepUsage(database)
}

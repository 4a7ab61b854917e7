import { sql } from 'kysely'
import type { Database } from './engine/database.ts'
import { serializationFailure } from './pg-errors.ts'
import type { Scope } from './scope.ts'

interface Storing {
  /** How long the response is stored. */
  seconds: number
  /** Whether it replaces a stored response that hasn't expired. */
  replace: boolean
}

/** The advisory lock of an id: its first 64 bits. Requests with different ids that share them run one after the other. */
const lockOf = (id: string) => Buffer.from(id, 'base64url').readBigInt64BE().toString()

/** The context of encryption, which binds a ciphertext to its row. */
const rowContext = (scope: Scope, id: string) => `kept answer ${scope.organizationId} ${id}`

const selectStored = (scope: Scope, id: string) => sql`(
  select answer from kept_answers
  where organization_id = ${scope.organizationId} and id = ${id} and expires_at > now())`

const decrypt = (scope: Scope, id: string, stored: string | null) =>
  stored ? scope.cipher.decrypt(stored, rowContext(scope, id)) : undefined

/**
 * Tries to lock an id until the transaction ends, on all servers of the database, and reads the response stored under it.
 * `taken`: another transaction has the lock, and no response is stored yet.
 */
export async function claimResponse(scope: Scope, id: string) {
  const [row] = await scope.query<{ free: boolean; stored: string | null }>(
    sql`select pg_try_advisory_xact_lock(${lockOf(id)}::bigint) as free, ${selectStored(scope, id)} as stored`,
  )
  return { response: decrypt(scope, id, row!.stored), taken: !row!.free && row!.stored === null }
}

/** Shares the lock of an id until the transaction ends: `awaitResponse` waits for every transaction that shares it. */
export async function joinResponse(scope: Scope, id: string): Promise<void> {
  await scope.query(sql`select pg_advisory_xact_lock_shared(${lockOf(id)}::bigint)`)
}

/** Waits for the lock of an id, holds it until the transaction ends, and reads the response stored under the id. */
export async function awaitResponse(scope: Scope, id: string): Promise<string | undefined> {
  await scope.query(sql`select pg_advisory_xact_lock(${lockOf(id)}::bigint)`)
  // A second statement: the snapshot of the first is older than the commits it has waited for.
  const [row] = await scope.query<{ stored: string | null }>(sql`select ${selectStored(scope, id)} as stored`)
  return decrypt(scope, id, row!.stored)
}

/**
 * Stores a response, encrypted, when the transaction commits. Where another transaction has stored one since this one
 * looked, it throws a serialization failure (SQLSTATE 40001), so that this one is rolled back and retried.
 */
export async function storeResponse(
  scope: Scope,
  id: string,
  response: string,
  { seconds, replace }: Storing,
): Promise<void> {
  const rows = await scope.query(sql`
    insert into kept_answers (organization_id, id, answer, expires_at)
    values (${scope.organizationId}, ${id}, ${scope.cipher.encrypt(response, rowContext(scope, id))},
      now() + make_interval(secs => ${seconds}))
    on conflict (organization_id, id) do update set answer = excluded.answer, expires_at = excluded.expires_at
      where ${replace} or kept_answers.expires_at <= excluded.expires_at - make_interval(secs => ${seconds})
    returning 1`)
  if (rows.length === 0) throw serializationFailure('Another request with this id has stored its response first.')
}

/** Deletes the response stored for an id. */
export const forgetResponse = (scope: Scope, id: string) =>
  scope.query(sql`delete from kept_answers where organization_id = ${scope.organizationId} and id = ${id} returning 1`)

/** Whether a server lives: its lease has not ended. */
export async function isServerAlive(scope: Scope, id: string): Promise<boolean> {
  const rows = await scope.query(sql`select 1 from workers where id = ${id} and lease_until > statement_timestamp()`)
  return rows.length > 0
}

const BATCH = 1_000

/** Deletes up to a thousand expired responses of any organization, and returns their number. */
async function deleteBatch({ kysely }: Database): Promise<number> {
  const { rows } = await sql<{ organization_id: string; id: string }>`
    select organization_id, id from kept_answers where expires_at <= now() order by expires_at limit ${BATCH}
  `.execute(kysely)
  let deleted = 0
  for (const [organizationId, expired] of Map.groupBy(rows, (row) => row.organization_id)) {
    const { numAffectedRows } = await sql`
      delete from kept_answers where organization_id = ${organizationId} and id in (
        select id from kept_answers
        where organization_id = ${organizationId} and id = any(${expired.map(({ id }) => id)}) and expires_at <= now()
        for update skip locked)`.execute(kysely)
    deleted += Number(numAffectedRows)
  }
  return deleted
}

/** Deletes every expired response, except those that another transaction holds. */
export async function deleteExpiredResponses(database: Database): Promise<void> {
  while ((await deleteBatch(database)) === BATCH);
}

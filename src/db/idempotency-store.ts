import { sql } from 'kysely'
import type { Database } from './engine/database.ts'
import { serializationFailure } from './pg-errors.ts'
import type { Scope } from './scope.ts'

/** How long an answer is kept, in seconds. */
interface Keeping {
  seconds: number
  /** Whether it takes the place of one that is kept still. */
  replace: boolean
}

/** The lock of an answer's id: its first 64 bits. Two ids that share them take turns, no more. */
const lockOf = (id: string) => Buffer.from(id, 'base64url').readBigInt64BE().toString()

/** Ciphertexts are bound to their row. */
const placeOf = (scope: Scope, id: string) => `kept answer ${scope.organizationId} ${id}`

const kept = (scope: Scope, id: string) => sql`(
  select answer from kept_answers
  where organization_id = ${scope.organizationId} and id = ${id} and expires_at > now())`

const opened = (scope: Scope, id: string, answer: string | null | undefined) =>
  answer ? scope.cipher.decrypt(answer, placeOf(scope, id)) : undefined

/**
 * Takes an id for this transaction, of all servers on the database, and reads the answer kept under it. `taken` tells
 * that another transaction has the id: then there was no answer yet.
 */
export async function claimAnswer(scope: Scope, id: string): Promise<{ answer: string | undefined; taken: boolean }> {
  const [row] = await scope.query<{ free: boolean; answer: string | null }>(
    sql`select pg_try_advisory_xact_lock(${lockOf(id)}::bigint) as free, ${kept(scope, id)} as answer`,
  )
  return { answer: opened(scope, id, row!.answer), taken: !row!.free && row!.answer === null }
}

/** Notes, until the transaction ends, that the request behind an id is being answered; others may be too. */
export async function joinAnswer(scope: Scope, id: string): Promise<void> {
  await scope.query(sql`select pg_advisory_xact_lock_shared(${lockOf(id)}::bigint)`)
}

/** Waits until nobody is answering the request behind an id, takes the id, and reads the answer kept under it. */
export async function awaitAnswer(scope: Scope, id: string): Promise<string | undefined> {
  await scope.query(sql`select pg_advisory_xact_lock(${lockOf(id)}::bigint)`)
  // A statement of its own: one that waits doesn't see what was committed meanwhile.
  const [row] = await scope.query<{ answer: string | null }>(sql`select ${kept(scope, id)} as answer`)
  return opened(scope, id, row!.answer)
}

/**
 * Keeps an answer, encrypted, when the transaction commits. If another transaction has kept one after this one has
 * looked, this one is undone and begun again: a serialization failure (SQLSTATE 40001).
 */
export async function keepAnswer(scope: Scope, id: string, answer: string, keeping: Keeping): Promise<void> {
  const rows = await scope.query(sql`
    insert into kept_answers (organization_id, id, answer, expires_at)
    values (${scope.organizationId}, ${id}, ${scope.cipher.encrypt(answer, placeOf(scope, id))},
      now() + make_interval(secs => ${keeping.seconds}))
    on conflict (organization_id, id) do update set answer = excluded.answer, expires_at = excluded.expires_at
      where ${keeping.replace} or kept_answers.expires_at <= now()
    returning 1`)
  if (rows.length === 0) throw serializationFailure('Another request with this id has stored its response first.')
}

const BATCH = 1_000

/** Deletes the answers whose time is over, a thousand in a statement. */
export async function sweepAnswers(database: Database): Promise<void> {
  for (let swept = BATCH; swept === BATCH; ) {
    const { numAffectedRows } = await sql`
      delete from kept_answers where (organization_id, id) in (
        select organization_id, id from kept_answers where expires_at <= now()
        order by expires_at limit ${BATCH} for update skip locked)`.execute(database.kysely)
    swept = Number(numAffectedRows)
  }
}

import { type Kysely, sql } from 'kysely'
import type { Actor } from '../db/context.ts'
import type { Scope } from '../db/scope.ts'
import type { Tables } from '../db/tables.ts'
import type { OwnedRun } from './commit.ts'
import type { RunRequest } from './request.ts'

/** A run that this server has claimed. */
export interface ClaimedRun {
  run: OwnedRun
  actor: Actor
  request: RunRequest
  startedAt: number
  attempts: number
}

interface ClaimedRow {
  id: string
  thread_id: string
  agent_id: string | null
  conversation_id: string | null
  group_id: string | null
  fence: number
  attempts: number
  has_callback: boolean
  actor: Actor
  request: RunRequest
  created_at: string
}

const CLAIMED = sql`id, thread_id, agent_id, conversation_id, group_id, fence, attempts,
  callback_url is not null as has_callback, actor, request, created_at`

const claimedRun = (row: ClaimedRow, owner: string): ClaimedRun => ({
  run: {
    id: row.id,
    threadId: row.thread_id,
    agentId: row.agent_id ?? row.thread_id,
    conversationId: row.conversation_id ?? undefined,
    groupId: row.group_id ?? undefined,
    owner,
    fence: row.fence,
    hasCallback: row.has_callback,
  },
  actor: row.actor,
  request: row.request,
  startedAt: Date.parse(row.created_at),
  attempts: row.attempts,
})

/** Claims the next run that waits for a free thread; undefined where none waits, or another server was faster. */
export async function claimNext(scope: Scope, threadId: string, owner: string): Promise<ClaimedRun | undefined> {
  const { organizationId } = scope
  const [row] = await scope.query<ClaimedRow>(sql`
    with thread as (
      update threads set run_id = next.id, waiting = greatest(waiting - 1, 0)
      from (select id from runs where organization_id = ${organizationId} and thread_id = ${threadId} and status = 'created'
        order by queue_no limit 1) as next
      where threads.organization_id = ${organizationId} and threads.id = ${threadId} and threads.run_id is null
      returning next.id
    )
    update runs set status = 'running', owner = ${owner}, fence = fence + 1, attempts = attempts + 1,
      updated_at = ${new Date().toISOString()}::timestamptz
    where organization_id = ${organizationId} and id = (select id from thread) and status = 'created'
    returning ${CLAIMED}`)
  return row && claimedRun(row, owner)
}

/** Claims a run whose server is gone; undefined where another server was faster. */
export async function takeOver(
  scope: Scope,
  { id, fence }: { id: string; fence: number },
  owner: string,
): Promise<ClaimedRun | undefined> {
  const [row] = await scope.query<ClaimedRow>(sql`
    update runs set owner = ${owner}, fence = fence + 1, attempts = attempts + 1,
      updated_at = ${new Date().toISOString()}::timestamptz
    where organization_id = ${scope.organizationId} and id = ${id} and status = 'running' and fence = ${fence}
    returning ${CLAIMED}`)
  return row && claimedRun(row, owner)
}

/** A run of any organization that no living server carries out. */
export interface Orphan {
  organization_id: string
  id: string
  thread_id: string
  status: 'created' | 'running'
  fence: number
}

/**
 * Runs that no living server carries out, and those of this server that it lost hold of when it couldn't reach the database.
 * Found without a lock: each is claimed by its key afterwards. `running` are the runs that this server carries out.
 */
export async function findOrphans(
  kysely: Kysely<Tables>,
  owner: string,
  running: readonly string[],
): Promise<Orphan[]> {
  const living = await sql<{ id: string }>`select id from workers where lease_until > statement_timestamp()`.execute(
    kysely,
  )
  const ids = living.rows.map(({ id }) => id)
  const { rows } = await sql<Orphan>`
    select organization_id, id, thread_id, status, fence from runs
    where status = 'running' and (owner is null or owner <> all(${ids}::text[]) or owner = ${owner}
      and id <> all(${running}::text[]) and updated_at < statement_timestamp() - interval '5 seconds')
    union all
    select runs.organization_id, runs.id, runs.thread_id, runs.status, runs.fence from runs
    join threads on threads.organization_id = runs.organization_id and threads.id = runs.thread_id
    where runs.status = 'created' and threads.run_id is null
    limit 100`.execute(kysely)
  return rows
}

/** Ends the leases of servers that can't be alive: of an embedded database, this process alone has the directory. */
export const endForeignLeases = (kysely: Kysely<Tables>) => sql`delete from workers`.execute(kysely)

/** Says that this server lives for the next `leaseMs`. Returns whether no other server lives. */
export async function renewLease(kysely: Kysely<Tables>, id: string, leaseMs: number): Promise<boolean> {
  const { rows } = await sql<{ is_alone: boolean }>`
    insert into workers (id, lease_until) values (${id}, statement_timestamp() + ${leaseMs} * interval '1 millisecond')
    on conflict (id) do update set lease_until = excluded.lease_until
    returning not exists (select from workers as other
      where other.id <> ${id} and other.lease_until > statement_timestamp()) as is_alone`.execute(kysely)
  return rows[0]!.is_alone
}

/** Ends the lease of this server, and of servers that died long ago. */
export const endLease = (kysely: Kysely<Tables>, id: string) =>
  sql`delete from workers where id = ${id} or lease_until < statement_timestamp() - interval '1 day'`.execute(kysely)

/** The runs of this server that are to be cancelled. */
export async function findCancelled(kysely: Kysely<Tables>, owner: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from runs where status = 'running' and owner = ${owner} and cancel_requested_at is not null`.execute(
    kysely,
  )
  return rows.map(({ id }) => id)
}

/** Of these runs that wait here, those that another server has claimed, and those that are over or deleted. */
export async function findGone(kysely: Kysely<Tables>, owner: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from runs where status in ('created', 'running') and (status = 'created' or owner = ${owner})
      and id = any(${ids}::text[])`.execute(kysely)
  const here = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !here.has(id))
}

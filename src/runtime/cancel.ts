import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import { conflict, notFound } from '../lib/errors.ts'
import type { Target } from '../resources/messages/table.ts'
import { CANCELLED, closeRequest } from './close-request.ts'
import type { Runtime } from './runtime.ts'

/**
 * Cancels runs that wait for their thread, and asks for the end of those that are carried out: these, or all except one. Returns
 * their ids.
 */
async function cancelActive(
  scope: Scope,
  { threadId }: Pick<Target, 'threadId'>,
  { ids, except }: { ids?: readonly string[] | undefined; except?: string },
): Promise<string[]> {
  const { organizationId } = scope
  const now = new Date().toISOString()
  const chosen = sql`${ids ? sql`and id = any(${ids}::text[])` : sql``} ${except ? sql`and id <> ${except}` : sql``}`
  const rows = await scope.query<{ id: string; called: boolean }>(sql`
    with waiting as (
      update runs set status = 'cancelled', stop_reason = 'cancelled', completed_at = ${now}::timestamptz,
        version = version + 1
      where organization_id = ${organizationId} and thread_id = ${threadId} and status = 'created' ${chosen}
      returning id, callback_url is not null as called
    ), thread as (
      update threads set waiting = greatest(waiting - (select count(*) from waiting), 0)
      where organization_id = ${organizationId} and id = ${threadId} returning id
    ), running as (
      update runs set cancel_requested_at = ${now}::timestamptz
      where organization_id = ${organizationId} and thread_id = ${threadId} and status = 'running' ${chosen}
      returning id
    )
    select id, called from waiting union all select id, false from running`)
  const called = rows.filter((row) => row.called).map(({ id }) => ({ data: { run_id: id }, key: id }))
  await scope.enqueueMany('run_callback', called)
  return rows.map(({ id }) => id)
}

/** Ends the work of runs that are to be cancelled, and of the runs of members below those of groups. */
async function cancelAll(runtime: Runtime, scope: Scope, ids: readonly string[]): Promise<void> {
  for (const id of ids) runtime.cancel(id)
  const below = await scope.query<{ id: string; thread_id: string }>(sql`
    select id, thread_id from runs where organization_id = ${scope.organizationId} and parent_run_id = any(${ids}::text[])
      and status in ('created', 'running')`)
  for (const { id, thread_id } of below) {
    await scope.transaction((tx) => cancelActive(tx, { threadId: thread_id }, { ids: [id] }))
    runtime.cancel(id)
  }
}

/** 404 unless each of these is a run of the thread. */
async function checkRuns(scope: Scope, threadId: string, ids: readonly string[]): Promise<void> {
  const [missing] = await scope.query<{ id: string }>(sql`
    select given.id from unnest(${ids}::text[]) as given (id) where not exists (select from runs
      where organization_id = ${scope.organizationId} and id = given.id and thread_id = ${threadId}) limit 1`)
  if (missing) throw notFound('run', missing.id)
}

/**
 * Cancels runs of a thread: those named, or all that wait or are carried out, and the request for approval that waits. Returns
 * `cancelled` for each, and `failed` for a named one that is over. 404 for another run; 409 where none is named or active.
 */
export async function cancelRuns(
  runtime: Runtime,
  scope: Scope,
  target: Target,
  ids: readonly string[] = [],
): Promise<Record<string, 'cancelled' | 'failed'>> {
  await scope.exists('threads', target.threadId)
  await checkRuns(scope, target.threadId, ids)
  const named = ids.length > 0 ? ids : undefined
  const active = await scope.transaction((tx) => cancelActive(tx, target, { ids: named }))
  await cancelAll(runtime, scope, active)
  const closed = active.length === 0 ? await closeRequest(scope, target, CANCELLED) : undefined
  const all = closed ? [...active, closed] : active
  if (all.length === 0 && ids.length === 0) {
    throw conflict(
      `No run of this ${target.groupId ? 'group' : 'agent'} can be cancelled: none waits or is carried out.`,
    )
  }
  const over = ids.filter((id) => !all.includes(id))
  return Object.fromEntries([
    ...over.map((id) => [id, 'failed' as const] as const),
    ...all.map((id) => [id, 'cancelled' as const] as const),
  ])
}

/** Cancels all runs of a thread that wait or are carried out, except one: it is next. */
export async function cancelOthers(runtime: Runtime, scope: Scope, target: Target, except: string): Promise<void> {
  await cancelAll(runtime, scope, await scope.transaction((tx) => cancelActive(tx, target, { except })))
}

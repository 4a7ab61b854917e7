import { type Kysely, sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import type { Tables } from '../db/tables.ts'
import { createClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { StoredMessage, Target } from '../resources/messages/table.ts'
import { denied, type PendingRequest, pendingRequest } from './approvals.ts'
import { insertRows } from './commit.ts'
import { returnRow } from './rows.ts'
import { loadContext } from './thread.ts'
import { newRow } from './turn.ts'

/** The reasons of denials that nobody has given by an answer. */
export const CANCELLED = 'The user cancelled the request, so the tool call was denied.'
export const ABANDONED = 'The caller that had this tool is gone, so the tool call was denied.'
export const EXPIRED = 'Nobody answered the request in time, so the tool call was denied.'

/** The rows that close a request for approval: a denial of each call, and its return. */
function closingRows(
  { agentId, conversationId }: Target,
  { row, waiting, deferred }: PendingRequest,
  reason: string,
): StoredMessage[] {
  const run = { id: row.run_id ?? '', threadId: '', agentId, conversationId, owner: '', fence: 0, hasCallback: false }
  const all = [...waiting, ...deferred]
  const [first] = waiting
  const response = newRow(
    { run },
    {
      role: 'approval',
      approvals: waiting.map(({ id }) => ({ type: 'approval', tool_call_id: id, approve: false, reason })),
      approve: false,
      approval_request_id: first!.id,
      denial_reason: reason,
    },
  )
  const calls = all.map(({ id, function: { name } }) => ({ id, name }))
  const results = all.map(() => denied(reason))
  const clock = createClock('UTC')
  return [response, returnRow({ run, clock }, newId('message'), row.step_id, calls, results, null)]
}

/**
 * Closes the request for approval of a thread that no run is carried out on: denies all of its calls by one statement. A
 * cancelled request cancels its run. Returns the id of that run; undefined where no request waits.
 */
export async function closeRequest(
  scope: Scope,
  target: Target,
  reason: typeof CANCELLED | typeof EXPIRED | typeof ABANDONED,
): Promise<string | undefined> {
  const { organizationId } = scope
  const context = await loadContext(scope, target.threadId)
  const pending = pendingRequest(context)
  if (!pending) return undefined
  const rows = closingRows(target, pending, reason)
  const ids = [...context, ...rows].map(({ id }) => id)
  const closed = await scope.query(sql`
    with run as (
      update threads set pending_approval = null, pending_expires_at = null, message_ids = ${JSON.stringify(ids)}::json
      where organization_id = ${organizationId} and id = ${target.threadId} and run_id is null
        and pending_approval ->> 'id' = ${pending.row.id}
      returning id
    ), ${insertRows('added', 'messages', organizationId, rows)}, ended as (
      update runs set status = 'cancelled', stop_reason = 'cancelled', version = version + 1
      where organization_id = ${organizationId} and id = ${pending.row.run_id} and ${reason === CANCELLED}
        and exists (select from run)
    )
    select id from run`)
  return closed.length > 0 ? (pending.row.run_id ?? undefined) : undefined
}

/** Threads of any organization whose request for approval has expired: some of them, found without a lock. */
export async function findExpired(kysely: Kysely<Tables>): Promise<(Target & { organizationId: string })[]> {
  const { rows } = await sql<{ organization_id: string; id: string; agent_id: string }>`
    select organization_id, id, agent_id from threads where pending_expires_at <= statement_timestamp()
      and run_id is null limit 100`.execute(kysely)
  return rows.map(({ organization_id, id, agent_id }) => ({
    organizationId: organization_id,
    agentId: agent_id,
    threadId: id,
    ...(id !== agent_id && { conversationId: id }),
  }))
}

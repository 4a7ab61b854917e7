import { sql } from 'kysely'
import type { Actor } from '../db/context.ts'
import type { Scope } from '../db/scope.ts'
import { ApiError, conflict, notFound } from '../lib/errors.ts'
import { instantOf, newId, nounOf } from '../lib/ids.ts'
import type { ApprovalRequestMessage } from '../resources/messages/schema.ts'
import { isOfGroup } from '../resources/messages/table.ts'
import { budgetError, countUsage, isCounted, isSpent, lockRunBudgets } from './budgets.ts'
import type { RunRequest } from './request.ts'

/** What a caller chooses where an agent is busy: to wait, a 409, or the end of the other runs. */
export const WHEN_BUSY = ['enqueue', 'reject', 'interrupt'] as const
export type WhenBusy = (typeof WHEN_BUSY)[number]

/** The runs that may wait on one thread. */
const MAX_WAITING = 100

/**
 * The identity of a request that may be repeated, and a hash of the request. `first`: the first attempt of an SDK, which is a
 * run of its own even where an equal request came before.
 */
export interface RunClaim {
  id: string
  fingerprint: string
  kind: 'key' | 'first' | 'again'
}

/** Where a run comes from that no request of its own begins. It is part of the run's metadata. */
export interface RunOrigin {
  schedule_id?: string
  scheduled_for?: string
  batch_id?: string
  /** The place of the request in the batch, from 0. */
  batch_request?: number
}

/** A run to be stored. */
export interface NewRun {
  threadId: string
  agentId: string
  conversationId?: string | undefined
  /** The group that the run belongs to, the group's run that it is part of, and its turn there. */
  groupId?: string | undefined
  parentRunId?: string | undefined
  turn?: number | undefined
  request: RunRequest
  actor: Actor
  /** Ids that the caller gave to the messages. */
  otids: readonly string[]
  /** The identity of a request that may be repeated. */
  claim?: RunClaim | undefined
  background: boolean
  runType: string
  metadata?: object
  callbackUrl?: string | undefined
  /** Whether a run may begin beside a request that waits: its stream then reports the conflict. */
  besidePending?: boolean
  /** What happens where runs of the thread wait or are carried out. */
  whenBusy?: WhenBusy | undefined
  /** The server that carries the run out where the thread is free; null: the run waits for a server that claims it. */
  owner: string | null
  /** The schedule that begins the run, with the due time; or the batch. */
  origin?: RunOrigin | undefined
  /** Changes of the transaction that stores the run. Throws where the run must not begin. */
  alongside?: ((tx: Scope) => Promise<void>) | undefined
}

/**
 * A stored run. `running`: this server carries it out; `known`: an earlier request made it; `reused`: an earlier request made it
 * with the same key, but was another.
 */
export interface AcceptedRun {
  id: string
  state: 'running' | 'waiting' | 'known' | 'reused'
}

/** 409 while a call of the agent waits for an approval. */
export function pendingApproval({ id }: ApprovalRequestMessage): ApiError {
  const message =
    'The agent waits for the approval of a call: approve or deny the request, or cancel its run, before the next message.'
  return new ApiError('conflict', message, {
    headers: { 'x-should-retry': 'false' },
    fields: { pending_request_id: id },
    vendorFields: { detail: { code: 'PENDING_APPROVAL', message, pending_request_id: id } },
  })
}

interface Stored {
  id: string
  status: 'created' | 'running'
}

/** Says when a conversation got its newest request. */
const conversationTables = ({ conversationId }: NewRun, organizationId: string, now: string) =>
  conversationId === undefined
    ? sql``
    : sql`conversation as (
        update conversations set last_message_at = ${now}::timestamptz
        where organization_id = ${organizationId} and id = ${conversationId} and exists (select from run)
      ),`

/** Whether a run may begin while a request for approval waits. */
const isFitting = ({ request, besidePending }: NewRun) =>
  request.approval !== undefined || request.on_pending === 'deny' || besidePending === true

/**
 * One statement: takes a number and, if the thread is free, the thread; stores the run and its ids. No row where the thread
 * takes no run, and with `unlessCounted` where a budget limits the number of runs.
 */
export function insertRun(scope: Scope, run: NewRun, id: string, unlessCounted = false) {
  const { organizationId, userId } = scope
  const { request, actor } = run
  const config = {
    use_assistant_message: request.use_assistant_message ?? true,
    assistant_message_tool_name: request.assistant_message_tool_name ?? 'send_message',
    assistant_message_tool_kwarg: request.assistant_message_tool_kwarg ?? 'message',
    include_return_message_types: request.include_return_message_types ?? undefined,
  }
  const now = instantOf(id)!.toISOString()
  const free = run.owner === null ? sql`false` : sql`run_id is null and waiting = 0`
  const attempts = sql`case when run_id = ${id} then 1 else 0 end`
  const replaces = run.claim?.kind === 'first'
  return scope.query<Stored>(sql`
    with thread as (
      update threads set queue_no = queue_no + 1,
        run_id = case when ${free} then ${id} else run_id end,
        waiting = waiting + case when ${free} then 0 else 1 end
      where organization_id = ${organizationId} and id = ${run.threadId} and waiting < ${MAX_WAITING}
        and (${run.whenBusy !== 'reject'} or ${free})
        and (${isFitting(run)} or pending_approval is null or run_id is not null
          or pending_expires_at <= ${now}::timestamptz)
        and not ${isSpent(scope, run, now, true)} and not ${unlessCounted ? isCounted(scope, run) : sql`false`}
      returning queue_no, run_id
    ), run as (
      insert into runs (organization_id, id, agent_id, conversation_id, group_id, parent_run_id, turn, thread_id, status, background, metadata,
        request_config, callback_url, created_at, updated_at, created_by_id, last_updated_by_id, request, actor, queue_no,
        owner, fence, attempts, schedule_id, scheduled_for, batch_id)
      select ${organizationId}, ${id}, ${isOfGroup(run) ? null : run.agentId}, ${run.conversationId ?? null},
        ${run.groupId ?? null}, ${run.parentRunId ?? null}, ${run.turn ?? null}::int, ${run.threadId},
        case when run_id = ${id} then 'running' else 'created' end, ${run.background},
        ${JSON.stringify({ run_type: run.runType, ...run.metadata, ...run.origin })}::json,
        ${JSON.stringify(config)}::json, ${run.callbackUrl ?? null},
        ${now}::timestamptz, ${now}::timestamptz, ${userId}, ${userId}, ${JSON.stringify(request)}::json,
        ${JSON.stringify(actor)}::json, queue_no, ${run.owner}, ${attempts}, ${attempts},
        ${run.origin?.schedule_id ?? null}, ${run.origin?.scheduled_for ?? null}::timestamptz, ${run.origin?.batch_id ?? null}
      from thread returning id, status
    ), ${countUsage(scope, run, now, { runs: 1 })}, ${conversationTables(run, organizationId, now)} otids as (
      insert into run_otids (organization_id, thread_id, otid, run_id)
      select ${organizationId}, ${run.threadId}, otid, run.id from run, unnest(${run.otids}::text[]) as otid
    ), claim as (
      insert into run_otids (organization_id, thread_id, otid, run_id, fingerprint)
      select ${organizationId}, ${run.threadId}, ${run.claim?.id ?? null}, run.id, ${run.claim?.fingerprint ?? null}
      from run where ${run.claim !== undefined}
      ${
        replaces
          ? sql`on conflict (organization_id, thread_id, otid) do update
        set run_id = excluded.run_id, fingerprint = excluded.fingerprint`
          : sql``
      }
    )
    select id, status from run`)
}

/** The run that an earlier request with one of these ids made. */
async function knownRun(scope: Scope, { threadId, otids, claim }: NewRun): Promise<AcceptedRun | undefined> {
  const ids = claim && claim.kind !== 'first' ? [...otids, claim.id] : otids
  if (ids.length === 0) return undefined
  const [known] = await scope.query<{ run_id: string; otid: string; fingerprint: string | null }>(sql`
    select run_id, otid, fingerprint from run_otids
    where organization_id = ${scope.organizationId} and thread_id = ${threadId} and otid = any(${ids}::text[]) limit 1`)
  if (!known) return undefined
  const isReused = known.otid === claim?.id && known.fingerprint !== claim.fingerprint
  return { id: known.run_id, state: isReused ? 'reused' : 'known' }
}

/** The reason why a thread takes no run: 404, 409, or 429. */
export async function refusal(scope: Scope, run: NewRun): Promise<ApiError> {
  const { threadId } = run
  const [thread] = await scope.query<{ pending_approval: ApprovalRequestMessage | null; waiting: number }>(sql`
    select pending_approval, waiting from threads where organization_id = ${scope.organizationId} and id = ${threadId}`)
  if (!thread) return notFound(nounOf(threadId), threadId)
  const spent = await budgetError(scope, run)
  if (spent) return spent
  if (thread.pending_approval) return pendingApproval(thread.pending_approval)
  if (thread.waiting >= MAX_WAITING) return conflict(`${MAX_WAITING} runs wait for this agent already.`)
  return conflict('The agent is busy with another run, and Cairn-When-Busy is reject.')
}

/** Inserts a run that budgets may count: those that begin at once are counted one after the other, at all servers. */
async function insertCounted(scope: Scope, run: NewRun, id: string) {
  const [stored] = await insertRun(scope, run, id, true)
  if (stored) return stored
  return scope.transaction(async (tx) => {
    if (!(await lockRunBudgets(tx, run))) return undefined
    const [stored] = await insertRun(tx, run, id)
    return stored
  })
}

/**
 * Stores a run, or finds the one that an earlier request with the same ids made. 404 for an unknown thread, 409 while a call
 * waits for an approval, and for a queue that is full.
 */
export async function acceptRun(scope: Scope, run: NewRun): Promise<AcceptedRun> {
  // Few requests are repeated: the ids are looked up when their second run is refused. That refusal would end a transaction.
  const known = run.alongside && (await knownRun(scope, run))
  if (known) return known
  try {
    const stored = await insertCounted(scope, run, newId('run'))
    if (!stored) throw await refusal(scope, run)
    return { id: stored.id, state: stored.status === 'running' ? 'running' : 'waiting' }
  } catch (error) {
    const other = await knownRun(scope, run)
    if (other) return other
    throw error
  }
}

import { sql } from 'kysely'
import type { Actor } from '../db/context.ts'
import type { Scope } from '../db/scope.ts'
import { ApiError } from '../lib/errors.ts'
import { withCurrentRights } from '../resources/api-keys/current-rights.ts'
import { activeRuns, endBatch } from '../resources/batches/batches.ts'
import type { RunRequest } from '../runtime/request.ts'
import type { PlannedServices } from './fire-schedules.ts'

/** The runs of a batch that go on at once. */
const AT_ONCE = 16

interface OpenBatch {
  organization_id: string
  id: string
  owner: string | null
  actor: Actor
}

/**
 * The oldest batch of each organization that is not over, unless another living server begins its runs. Found without a lock: each
 * is claimed by its key afterwards.
 */
async function findOpen({ database: { kysely }, runtime }: PlannedServices): Promise<OpenBatch[]> {
  const { rows } = await sql<OpenBatch>`
    select distinct on (organization_id) organization_id, id, owner, actor from batches where completed_at is null
    order by organization_id, created_at, id`.execute(kysely)
  if (rows.length === 0) return []
  const living = await sql<{ id: string }>`select id from workers where lease_until > statement_timestamp()`.execute(
    kysely,
  )
  const others = living.rows.map(({ id }) => id).filter((id) => id !== runtime.owner)
  return rows.filter(({ owner }) => owner === null || !others.includes(owner))
}

/** Makes this server the one that begins the runs of a batch. Returns false when another server was faster, or the batch is over. */
async function claim(scope: Scope, owner: string, batch: OpenBatch): Promise<boolean> {
  if (batch.owner === owner) return true
  const rows = await scope.query(sql`
    update batches set owner = ${owner}, status = 'running', version = version + 1
    where organization_id = ${scope.organizationId} and id = ${batch.id} and completed_at is null
      and owner is not distinct from ${batch.owner} returning id`)
  return rows.length > 0
}

interface Waiting {
  position: number
  agent_id: string
  request: RunRequest
}

/** The request has begun its run before, or its batch was cancelled. */
class TakenError extends Error {}

/** Whether the same request may begin its run later. */
const isTemporary = ({ code, fields }: ApiError) =>
  code === 'too_many_requests' || (code === 'conflict' && fields === undefined)

/**
 * Begins the run of a request in the transaction that takes the request away, or stores the reason why it can't. Returns whether
 * the next request is to begin now. `onEnd` is called at the end of the run.
 */
async function begin(
  runtime: PlannedServices['runtime'],
  scope: Scope,
  batchId: string,
  waiting: Waiting,
  onEnd: () => void,
) {
  const { position, agent_id, request } = waiting
  const { organizationId, actor } = scope
  const place = sql`organization_id = ${organizationId} and batch_id = ${batchId} and position = ${position}`
  try {
    const { id } = await runtime.start(scope, {
      ...{ agentId: agent_id, threadId: agent_id, request, actor, otids: [], background: true, runType: 'batch' },
      origin: { batch_id: batchId, batch_request: position },
      async alongside(tx) {
        const taken = await tx.query(
          sql`delete from batch_requests where ${place} and error is null returning position`,
        )
        if (taken.length === 0) throw new TakenError()
      },
    })
    runtime.local(id)?.done.then(onEnd)
    return true
  } catch (error) {
    if (error instanceof TakenError) return true
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    if (isTemporary(error)) return false
    await scope.query(sql`update batch_requests set error = ${error.message} where ${place} returning position`)
    return true
  }
}

/** Begins runs of a batch until enough go on at once, and ends a batch of which nothing is left. */
async function advance(services: PlannedServices, batch: OpenBatch, onEnd: () => void): Promise<void> {
  const { runtime, scopeOf } = services
  const { id, organization_id: organizationId } = batch
  const own = scopeOf(batch.actor)
  if (!(await claim(own, runtime.owner, batch))) return
  const actor = await withCurrentRights(own, batch.actor)
  if (!actor) {
    await endBatch(own, id, 'cancelled', { error: 'The key of this batch is no longer valid.' })
    return onEnd()
  }
  const active = (await activeRuns(own, id)).length
  const waiting = await own.query<Waiting>(sql`
    select position, agent_id, request from batch_requests
    where organization_id = ${organizationId} and batch_id = ${id} and error is null
    order by position limit ${Math.max(AT_ONCE - active, 1)}`)
  if (waiting.length === 0 && active === 0) {
    await endBatch(own, id, 'completed')
    return onEnd()
  }
  if (active >= AT_ONCE) return
  const scope = scopeOf(actor)
  for (const request of waiting) if (!(await begin(runtime, scope, id, request, onEnd))) return
}

/**
 * Begins runs of the batches that are not over: of each organization, one batch after the other. `onEnd` is called when it is
 * worth looking again.
 */
export async function advanceBatches(services: PlannedServices, onEnd: () => void, report: (error: unknown) => void) {
  const open = await findOpen(services)
  await Promise.all(open.map((batch) => advance(services, batch, onEnd).catch(report)))
}

import { sql } from 'kysely'
import { NEXT } from '../../db/marks.ts'
import { insertRecords } from '../../db/records.ts'
import type { Scope } from '../../db/scope.ts'
import { storedMessage } from '../messages/found.ts'
import { checkGroups } from '../messages/insert.ts'
import { listRows } from '../messages/list.ts'
import { batches, type ListBatchMessages } from './schema.ts'

/** A request of a batch, and the ids of the groups that its messages name. */
export interface NewRequest {
  agent_id: string
  request: object
  groups: readonly string[]
}

/** Makes a batch whose runs act for the caller. 404 for an agent or a group that the organization doesn't have. */
export async function createBatch(
  scope: Scope,
  callback_url: string | null | undefined,
  requests: readonly NewRequest[],
) {
  await checkGroups(scope, [...new Set(requests.flatMap(({ groups }) => groups))])
  return scope.transaction(async (tx) => {
    const { length: total } = requests
    const { id } = await tx.insert(batches, { status: 'created', total, callback_url, actor: scope.actor })
    const rows = requests.map(({ agent_id, request }, position) => ({ batch_id: id, position, agent_id, request }))
    await insertRecords(tx, 'batch_requests', rows)
    return tx.get(batches, id)
  })
}

/** Stored messages of the runs of a batch, newest first. 404. */
export async function listBatchMessages(scope: Scope, id: string, { agent_id, ...page }: ListBatchMessages) {
  const { organizationId } = scope
  const ofAgent = agent_id === undefined ? sql`` : sql`and agent_id = ${agent_id}`
  const ofBatch = sql`run_id in (select id from runs where organization_id = ${organizationId} and batch_id = ${id}) ${ofAgent}`
  const rows = await listRows(scope, ofBatch, { ...page, inOrder: true })
  if (rows.length === 0) await scope.exists('batches', id)
  return { messages: rows.map(storedMessage), [NEXT]: rows[NEXT] }
}

/**
 * Ends a batch, unless it is over: as completed, or as cancelled with the requests that wait. Returns whether it did. 404.
 */
export const endBatch = (scope: Scope, id: string, status: 'completed' | 'cancelled', metadata?: object) =>
  scope.locking(batches, id, async (tx) => {
    const batch = await tx.get(batches, id)
    if (batch.completed_at !== undefined) return false
    await tx.query(sql`delete from batch_requests
      where organization_id = ${tx.organizationId} and batch_id = ${id} and error is null returning position`)
    await tx.update(batches, id, {
      ...{ status, completed_at: new Date().toISOString(), metadata: { ...metadata } },
      ...(status === 'completed' && { request_counts: batch.request_counts }),
    })
    if (batch.callback_url) await tx.enqueue('batch_callback', { batch_id: id }, id)
    return true
  })

/** The runs of a batch that are not over, with their agents. */
export const activeRuns = (scope: Scope, id: string) =>
  scope.query<{ id: string; agent_id: string }>(sql`
    select id, agent_id from runs where organization_id = ${scope.organizationId} and batch_id = ${id}
      and status in ('created', 'running')`)

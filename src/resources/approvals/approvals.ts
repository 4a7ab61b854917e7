import { sql } from 'kysely'
import { type FirstRow, firstRows, pageOf } from '../../db/first-rows.ts'
import type { PageOf } from '../../db/marks.ts'
import type { Scope } from '../../db/scope.ts'
import type { ThreadRow } from '../messages/table.ts'
import type { ListApprovals, PendingApproval } from './schema.ts'

type Row = FirstRow &
  Pick<ThreadRow, 'id' | 'agent_id' | 'pending_expires_at'> & {
    request: NonNullable<ThreadRow['pending_approval']>
    asked_at: string
  }

const toApproval = ({ id, agent_id, pending_expires_at, request, asked_at }: Row): PendingApproval => ({
  id: request.id,
  agent_id,
  ...(id !== agent_id && { conversation_id: id }),
  request,
  created_at: asked_at,
  ...(pending_expires_at !== null && { expires_at: pending_expires_at }),
})

/**
 * The requests for approval that wait in the organization, oldest first: fewer than the limit where they are large. A cursor keeps
 * its place when its request is answered. 404 for an agent that the organization doesn't have.
 */
export async function listApprovals(scope: Scope, query: ListApprovals): Promise<PageOf<PendingApproval>> {
  const { agent_id, limit = 50, order = 'asc', after, before } = query
  const { organizationId } = scope
  if (agent_id !== undefined) await scope.exists('agents', agent_id)
  // Ids of messages hold their instants.
  const asked = sql`(threads.pending_approval ->> 'id') collate "C"`
  const backward = before !== undefined && after === undefined
  const [newerThan, olderThan] = order === 'asc' ? [after, before] : [before, after]
  const direction = (order === 'asc') === backward ? sql`desc` : sql`asc`
  const sorted = sql`order by asked ${direction}`
  const waiting = sql`(
    select threads.id, threads.agent_id, pending_expires_at, pending_approval as request, messages.created_at as asked_at,
      ${asked} as asked, octet_length(pending_approval::text) as bytes_read
    from threads join messages on messages.organization_id = ${organizationId} and messages.id = threads.pending_approval ->> 'id'
    where threads.organization_id = ${organizationId} and threads.pending_approval is not null
      ${agent_id === undefined ? sql`` : sql`and threads.agent_id = ${agent_id}`}
      ${newerThan === undefined ? sql`` : sql`and ${asked} > ${newerThan}::text`}
      ${olderThan === undefined ? sql`` : sql`and ${asked} < ${olderThan}::text`}
    order by ${asked} ${direction} limit ${limit + 1})`
  const rows = await scope.read<Row>(sql`
    select id, agent_id, pending_expires_at, request, asked_at, found from (${firstRows(waiting, sorted)}) as first ${sorted}`)
  return pageOf(rows, limit, backward, toApproval)
}

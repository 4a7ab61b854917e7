import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { conflict } from '../../lib/errors.ts'
import { fanOutOf } from '../messages/fan-out.ts'
import { listMessages } from '../messages/list.ts'
import { saidInGroup } from '../messages/said-in-group.ts'
import type { ListGroupMessages } from './message-schema.ts'
import { groups } from './schema.ts'

/** What was said in a group, newest first. 404. */
export async function listGroupMessages(scope: Scope, id: string, query: ListGroupMessages) {
  await scope.exists('groups', id)
  const options = { ...query, include_compaction_messages: scope.names !== 'vendor' }
  const fanOut = ({ agent_type }: { agent_type: string }) => fanOutOf(agent_type, options)
  return listMessages(scope, saidInGroup(scope, id), query, fanOut, query.include_return_message_types)
}

/**
 * Deletes the messages of a group, in the contexts of its members too, and the runs of the group that have ended. 404, and 409
 * while a run of the group is carried out.
 */
export const resetGroupMessages = (scope: Scope, id: string): Promise<void> =>
  scope.locking(groups, id, async (tx) => {
    const { organizationId } = tx
    const active = await tx.query(sql`
      select id from runs where organization_id = ${organizationId} and group_id = ${id}
        and status in ('created', 'running') limit 1`)
    if (active.length > 0) throw conflict('A run of the group is carried out: its messages go when the run has ended.')
    await tx.query(sql`
      with gone as (
        delete from messages where organization_id = ${organizationId} and group_id = ${id} returning id, agent_id
      ), ended as (
        delete from runs where organization_id = ${organizationId} and group_id = ${id} and agent_id is null
      )
      update threads set token_count = null, shortened_to = null,
        message_ids = (select coalesce(json_agg(item.id order by item.n), '[]') from
          json_array_elements_text(threads.message_ids) with ordinality as item (id, n)
          where not exists (select from gone where gone.id = item.id)),
        pending_expires_at = case when pending_approval ->> 'id' in (select id from gone) then null
          else pending_expires_at end,
        pending_approval = case when pending_approval ->> 'id' in (select id from gone) then null
          else pending_approval end
      from (select distinct agent_id from gone) as member
      where threads.organization_id = ${organizationId} and threads.agent_id = member.agent_id returning threads.id`)
  })

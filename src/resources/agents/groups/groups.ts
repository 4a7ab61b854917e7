import { sql } from 'kysely'
import type { Scope } from '../../../db/scope.ts'
import { matchingGroups } from '../../groups/groups.ts'
import { groups, type ListGroups } from '../../groups/schema.ts'

/** The groups an agent is a member of, newest first; hidden ones only on request. 404 for an unknown agent. */
export async function listGroupsOfAgent(scope: Scope, agentId: string, { order = 'desc', ...query }: ListGroups) {
  await scope.exists('agents', agentId)
  const member = sql<boolean>`exists (select from groups_agents as link
    where link.organization_id = ${scope.organizationId} and link.group_id = groups.id and link.agent_id = ${agentId})`
  return scope.list(groups, { ...query, order }, (rows) => matchingGroups(query)(rows).where(member))
}

import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { blocks } from '../blocks/schema.ts'
import { groupAgents } from '../groups/links.ts'
import { type Group, groups } from '../groups/schema.ts'
import { agents } from './schema.ts'
import { PARTNER_BLOCK } from './sleeptime.ts'

const SLEEPTIME = ['sleeptime', 'voice_sleeptime']

/**
 * Deletes an agent. Its blocks, archives, tools, folders and identities stay. Groups it belongs to lose it as a member;
 * groups it manages go with it, and with a memory-managing group the partner that managed its memory. 404.
 */
export async function deleteAgent(scope: Scope, id: string): Promise<void> {
  await scope.transaction(async (tx) => {
    await tx.lock(agents, id)
    const quiet = tx.unconditional()
    const touching = await tx.select(groups, (query) =>
      query.where(sql<boolean>`(groups.manager_agent_id = ${id} or exists (
        select from groups_agents link where link.organization_id = groups.organization_id
          and link.group_id = groups.id and link.agent_id = ${id}))`),
    )
    for (const group of touching) {
      if (group.manager_agent_id === id) await removeManaged(quiet, group)
      else if (SLEEPTIME.includes(group.manager_type)) await removePartnership(quiet, group)
      else await quiet.detach(groupAgents, group.id, id)
    }
    await tx.remove(agents, id)
  })
}

/** The group of a manager that goes: with it go the partners that were made for its memory. */
async function removeManaged(scope: Scope, group: Group): Promise<void> {
  await scope.remove(groups, group.id)
  if (!SLEEPTIME.includes(group.manager_type)) return
  for (const member of group.agent_ids) {
    const agent = await scope.find(agents, member)
    if (agent && ['sleeptime_agent', 'voice_sleeptime_agent'].includes(agent.agent_type))
      await removePartner(scope, member)
  }
}

/** The group of a partner that goes: the manager looks after its own memory again. */
async function removePartnership(scope: Scope, group: Group): Promise<void> {
  await scope.remove(groups, group.id)
  if (group.manager_agent_id) await scope.update(agents, group.manager_agent_id, { enable_sleeptime: false })
}

/** A partner that goes takes the block along that was made for it alone. */
async function removePartner(scope: Scope, id: string): Promise<void> {
  const own = await scope.query<{ block_id: string }>(sql`
    select block_id from agents_blocks link where organization_id = ${scope.organizationId} and agent_id = ${id}
      and block_label = ${PARTNER_BLOCK} and not exists (select from agents_blocks other
        where other.organization_id = link.organization_id and other.block_id = link.block_id
          and other.agent_id <> link.agent_id)`)
  await deleteAgent(scope, id)
  for (const { block_id } of own) await scope.remove(blocks, block_id)
}

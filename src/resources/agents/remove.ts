import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { blocks } from '../blocks/schema.ts'
import { groupAgents } from '../groups/links.ts'
import { type Group, groups } from '../groups/schema.ts'
import { agents } from './schema.ts'
import { PARTNER_BLOCK, SLEEPTIME } from './sleeptime.ts'

/**
 * Deletes an agent. Its blocks, archives, tools, folders and identities stay. Groups it belongs to lose it as a member;
 * groups it manages go with it, and with a memory-managing group the partner that managed its memory. A partner takes
 * along the block that was made for it. 404.
 */
export async function deleteAgent(scope: Scope, id: string): Promise<void> {
  await scope.locking(agents, id, async (tx) => {
    const quiet = tx.withoutIfMatch()
    const touching = await tx.select(groups, (query) =>
      query.where(sql<boolean>`(groups.manager_agent_id = ${id} or exists (
        select from groups_agents link where link.organization_id = ${tx.organizationId}
          and link.group_id = groups.id and link.agent_id = ${id}))`),
    )
    const own: string[] = []
    for (const group of touching) {
      if (group.manager_agent_id === id) await removeManaged(quiet, group)
      else if (SLEEPTIME.includes(group.manager_type)) {
        own.push(...(await ownBlocks(quiet, id, group.id)))
        await removePartnership(quiet, group)
      } else await quiet.detach(groupAgents, group.id, id)
    }
    await tx.remove(agents, id)
    for (const block of own) await quiet.remove(blocks, block)
  })
}

/** The group of a manager that goes: with it go the partners that were made for its memory. */
async function removeManaged(scope: Scope, group: Group): Promise<void> {
  await scope.remove(groups, group.id)
  if (!SLEEPTIME.includes(group.manager_type)) return
  for (const member of group.agent_ids) {
    const agent = await scope.find(agents, member)
    if (!agent || !['sleeptime_agent', 'voice_sleeptime_agent'].includes(agent.agent_type)) continue
    const own = await ownBlocks(scope, member, group.id)
    await deleteAgent(scope, member)
    for (const block of own) await scope.remove(blocks, block)
  }
}

/** The group of a partner that goes: the manager looks after its own memory again. */
async function removePartnership(scope: Scope, group: Group): Promise<void> {
  await scope.remove(groups, group.id)
  if (group.manager_agent_id) await scope.update(agents, group.manager_agent_id, { enable_sleeptime: false })
}

/**
 * The block made for a partner alone, unless somebody else has it by now. The history distinguishes it from a block
 * that got to the partner under the same label later: it was made in one transaction with the group.
 */
async function ownBlocks(scope: Scope, partnerId: string, groupId: string): Promise<string[]> {
  const rows = await scope.query<{ block_id: string }>(sql`
    select block_id from agents_blocks as link
    where organization_id = ${scope.organizationId} and agent_id = ${partnerId} and block_label = ${PARTNER_BLOCK}
      and exists (select from revisions as made join revisions as grouped
        on grouped.organization_id = ${scope.organizationId} and grouped.transaction_id = made.transaction_id
        where made.organization_id = ${scope.organizationId} and made.resource_id = link.block_id and made.version = 1
          and grouped.resource_id = ${groupId} and grouped.version = 1)
      and not exists (select from agents_blocks as other where other.organization_id = ${scope.organizationId}
        and other.block_id = link.block_id and other.agent_id <> link.agent_id)
      and not exists (select from blocks_identities as other
        where other.organization_id = ${scope.organizationId} and other.block_id = link.block_id)
      and not exists (select from groups_blocks as other
        where other.organization_id = ${scope.organizationId} and other.block_id = link.block_id)`)
  return rows.map(({ block_id }) => block_id)
}

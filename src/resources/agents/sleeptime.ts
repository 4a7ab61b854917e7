import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { createGroup } from '../groups/groups.ts'
import type { Group } from '../groups/schema.ts'
import { insertAgent } from './insert.ts'
import { agentBlocks } from './links.ts'
import { suffixedName } from './names.ts'
import { agents } from './schema.ts'

/** The label of the block a partner has for itself. */
export const PARTNER_BLOCK = 'memory_persona'

/** The types of the groups that join an agent and its partner. */
export const SLEEPTIME: readonly Group['manager_type'][] = ['sleeptime', 'voice_sleeptime']

/** The number of the agent's turns between two updates of its memory. */
const FREQUENCY = 5

/** The part of a spoken conversation that stays in the context window, in messages. */
const VOICE_BUFFER = { min_message_buffer_length: 15, max_message_buffer_length: 30 }

/** The blocks an agent shares with its partner: all but one that has the label of the partner's own. */
async function sharedBlocks(tx: Scope, agentId: string): Promise<string[]> {
  const rows = await tx.query<{ block_id: string }>(sql`
    select block_id from agents_blocks where organization_id = ${tx.organizationId} and agent_id = ${agentId}
      and block_label <> ${PARTNER_BLOCK} order by position`)
  return rows.map(({ block_id }) => block_id)
}

/**
 * Gives an agent the partner that manages its memory: an agent of the same models that shares its blocks and has a
 * `memory_persona` of its own, and the group that joins the two. Inside the scope's transaction.
 */
export async function addSleeptimePartner(tx: Scope, agentId: string, defaultModel: string): Promise<void> {
  const agent = await tx.get(agents, agentId)
  const voice = agent.agent_type === 'voice_convo_agent'
  const partnerId = await insertAgent(
    tx,
    {
      name: suffixedName(agent.name, '-sleeptime'),
      agent_type: voice ? 'voice_sleeptime_agent' : 'sleeptime_agent',
      llm_config: agent.llm_config,
      embedding: agent.embedding,
      embedding_config: agent.embedding_config,
      project_id: agent.project_id,
      timezone: agent.timezone,
      block_ids: await sharedBlocks(tx, agentId),
      memory_blocks: [
        {
          label: PARTNER_BLOCK,
          value: `I look after the memory of ${agent.name}.`,
          description: 'Who the agent that manages the memory is.',
        },
      ],
    },
    defaultModel,
  )
  await createGroup(tx, {
    agent_ids: [partnerId],
    description: `Manages the memory of ${agent.name}.`,
    manager_config: voice
      ? { manager_type: 'voice_sleeptime', manager_agent_id: agentId, ...VOICE_BUFFER }
      : { manager_type: 'sleeptime', manager_agent_id: agentId, sleeptime_agent_frequency: FREQUENCY },
  })
}

/**
 * Attaches these blocks of an agent to its partners, too, but for blocks whose label a partner has already. Inside the
 * scope's transaction, which has locked the agent.
 */
export async function shareWithPartners(tx: Scope, agentId: string, blockIds: readonly string[]): Promise<void> {
  const { organizationId } = tx
  const partners = await tx.query<{ id: string }>(sql`
    select id from agents where organization_id = ${organizationId} and id in (
      select member.agent_id from groups
      join groups_agents as member on member.organization_id = ${organizationId} and member.group_id = groups.id
      where groups.organization_id = ${organizationId} and groups.manager_agent_id = ${agentId}
        and groups.manager_type = any(${SLEEPTIME}::text[]))
    order by id for update`)
  for (const { id } of partners) {
    const missing = await tx.query<{ block_id: string }>(sql`
      select block_id from agents_blocks as own where organization_id = ${organizationId} and agent_id = ${agentId}
        and block_id = any(${blockIds}::text[]) and not exists (select from agents_blocks as theirs
          where theirs.organization_id = ${organizationId} and theirs.agent_id = ${id}
            and theirs.block_label = own.block_label)
      order by position`)
    for (const { block_id } of missing) await tx.withoutIfMatch().attach(agentBlocks, id, block_id)
  }
}

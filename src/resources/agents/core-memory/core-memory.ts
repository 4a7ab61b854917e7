import { sql } from 'kysely'
import type { Rendered } from '../../../db/render/rendered.ts'
import type { Scope } from '../../../db/scope.ts'
import { ApiError } from '../../../lib/errors.ts'
import { modifyBlock } from '../../blocks/blocks.ts'
import { blocks, type UpdateBlock } from '../../blocks/schema.ts'
import { retrieveAgent } from '../agents.ts'
import { agentBlocks } from '../links.ts'
import { ALL_RELATIONS } from '../relations.ts'
import { memoryOf } from '../rendering.ts'
import { agents, type Memory } from '../schema.ts'
import { shareWithPartners } from '../sleeptime.ts'
import type { ListBlocksOfAgent } from './schema.ts'

const notOnAgent = (what: string, agentId: string) =>
  new ApiError('not_found', `No block with ${what} on agent ${agentId}.`, { headers: { 'x-should-retry': 'false' } })

/** An agent's memory: its blocks and its files. 404. */
export const retrieveMemory = (scope: Scope, agentId: string): Promise<Rendered<Memory>> =>
  scope.retrieve(agents, agentId, memoryOf(scope))

/** The blocks attached to an agent, newest first, hidden ones too. 404 for an agent the organization doesn't have. */
export async function listBlocksOfAgent(scope: Scope, agentId: string, page: ListBlocksOfAgent) {
  await scope.exists('agents', agentId)
  return scope.list(blocks, { ...page, order: page.order ?? 'desc' }, (query) =>
    query.where(sql<boolean>`exists (select from agents_blocks as link
      where link.organization_id = ${scope.organizationId} and link.block_id = blocks.id and link.agent_id = ${agentId})`),
  )
}

/** The variables that filled the agent's blocks when a template made the agent. 404. */
export async function memoryVariablesOf(scope: Scope, agentId: string): Promise<Record<string, string>> {
  const [found] = await scope.read(sql<{ memory_variables: Record<string, string> | null }>`
    select memory_variables from agents where organization_id = ${scope.organizationId} and id = ${agentId}`)
  if (!found) await scope.exists('agents', agentId)
  return found?.memory_variables ?? {}
}

/** The id of the one block an agent knows by this label. 404 when either isn't there. */
async function idOfLabel(scope: Scope, agentId: string, label: string): Promise<string> {
  const [found] = await scope.read(sql<{ block_id: string }>`select block_id from agents_blocks
    where organization_id = ${scope.organizationId} and agent_id = ${agentId} and block_label = ${label}`)
  if (found) return found.block_id
  await scope.exists('agents', agentId)
  throw notOnAgent(`label ${label}`, agentId)
}

/** An agent's block by its label. 404. */
export const getBlockByLabel = async (scope: Scope, agentId: string, label: string) =>
  scope.retrieve(blocks, await idOfLabel(scope, agentId, label))

/** Changes an agent's block by its label, for all agents that share it. 404, 409, 412 and 422 as `modifyBlock`. */
export const modifyBlockByLabel = async (scope: Scope, agentId: string, label: string, body: UpdateBlock) =>
  modifyBlock(scope, await idOfLabel(scope, agentId, label), body)

/**
 * Attaches a block to an agent, and to the partner that manages its memory; one that is attached already stays as it is. 404 when either isn't there, 409 when the
 * agent has another block of the same label, 412.
 */
export async function attachBlock(scope: Scope, agentId: string, blockId: string) {
  return scope.locking(agents, agentId, async (tx) => {
    await tx.attach(agentBlocks, agentId, blockId)
    await shareWithPartners(tx, agentId, [blockId])
    return retrieveAgent(tx, agentId, { include: ALL_RELATIONS })
  })
}

/** Detaches a block from an agent; the block itself remains. 404 when it isn't attached, 412. */
export async function detachBlock(scope: Scope, agentId: string, blockId: string) {
  return scope.locking(agents, agentId, async (tx) => {
    if (!(await tx.detach(agentBlocks, agentId, blockId))) throw notOnAgent(`id ${blockId}`, agentId)
    return retrieveAgent(tx, agentId, { include: ALL_RELATIONS })
  })
}

import { VERSION } from '../db/marks.ts'
import type { Scope } from '../db/scope.ts'
import { agentBlocks } from '../resources/agents/links.ts'
import { agents } from '../resources/agents/schema.ts'
import { shareWithPartners } from '../resources/agents/sleeptime.ts'
import { newBlock } from '../resources/blocks/blocks.ts'
import { blocks } from '../resources/blocks/schema.ts'
import { hasIsolatedBlocks, isolatedBlocks } from '../resources/conversations/isolated-blocks.ts'
import type { BlockChange, Memory, MemoryBlock } from './memory.ts'
import { asCall } from './refused.ts'

/** The run whose calls write; without an id, a caller of the API has called the tool. */
interface Writer {
  id: string | null
  agentId: string
  conversationId?: string | undefined
}

/**
 * Makes a block, and attaches it to the agent and to the agents that manage its memory. In a conversation with blocks of its own
 * the block is one of them. Returns its version.
 */
async function insertBlock(tx: Scope, run: Writer, { id, label, value, description }: MemoryBlock) {
  const { agentId, conversationId } = run
  if (conversationId !== undefined && (await hasIsolatedBlocks(tx, conversationId))) {
    const own = { hidden: true, conversation_id: conversationId }
    return (await tx.insert(blocks, { id, ...newBlock({ label, value, description }), ...own }))[VERSION]!
  }
  await tx.lock(agents, agentId)
  const made = await tx.insert(blocks, { id, ...newBlock({ label, value, description }) })
  await tx.attach(agentBlocks, agentId, id)
  await shareWithPartners(tx, agentId, [id])
  return made[VERSION]!
}

/** Detaches a block from the agent. A block of the conversation alone is deleted. */
async function removeBlock(tx: Scope, { agentId, conversationId }: Writer, id: string): Promise<void> {
  const own = conversationId === undefined ? [] : await isolatedBlocks(tx, conversationId)
  if (own.some((block) => block.id === id)) await tx.remove(blocks, id)
  else await tx.detach(agentBlocks, agentId, id)
}

/** Writes one change. Returns the version of the block; undefined for a removed one. */
async function writeChange(tx: Scope, run: Writer, id: string, { patch }: BlockChange, block?: MemoryBlock) {
  if (patch && block) {
    return block.version === 0 ? insertBlock(tx, run, block) : (await tx.update(blocks, id, patch))[VERSION]!
  }
  await removeBlock(tx, run, id)
  return undefined
}

/**
 * Writes the changes of a memory in a transaction: their author is the agent, by its calls. Returns the versions of the changed
 * blocks, by id. Throws a 412 or a 404 for a block that somebody else has changed or deleted meanwhile, and a RefusedError.
 */
export async function writeMemory(tx: Scope, run: Writer, memory: Memory) {
  const blocksById = new Map([...memory.blocks.values()].map((block) => [block.id, block]))
  const versions = new Map<string, number>()
  // Detached blocks first: another block may have the label of one.
  const changes = [...memory.changed].sort(([, a], [, b]) => Number(a.patch !== null) - Number(b.patch !== null))
  for (const [id, change] of changes) {
    const block = blocksById.get(id)
    const author = { agent_id: run.agentId, run_id: run.id, tool_call_id: change.callId }
    const scope = tx.asAgent(author, block?.version ? [block.version] : undefined)
    const version = await asCall(change.callId, () => writeChange(scope, run, id, change, block), ['not_found'])
    if (version !== undefined) versions.set(id, version)
  }
  return versions
}

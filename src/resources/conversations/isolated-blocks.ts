import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { ApiError } from '../../lib/errors.ts'
import { type Block, blocks } from '../blocks/schema.ts'

/** Blocks that a condition keeps, oldest first. */
const selectBlocks = (scope: Scope, condition: RawBuilder<boolean>): Promise<Block[]> =>
  scope.select(blocks, (query) => query.where(condition).orderBy('blocks.created_at').orderBy('blocks.id'))

/** The blocks of a conversation alone. */
export const isolatedBlocks = (scope: Scope, conversationId: string) =>
  selectBlocks(scope, sql`blocks.conversation_id = ${conversationId}`)

/** Whether a conversation has blocks of its own. */
export async function hasIsolatedBlocks(scope: Scope, conversationId: string): Promise<boolean> {
  const [found] = await scope.query(sql`
    select from conversations where organization_id = ${scope.organizationId} and id = ${conversationId}
      and json_array_length(coalesce(isolated_block_labels, '[]')) > 0`)
  return found !== undefined
}

/** Gives a conversation copies of blocks. Lists of blocks leave copies out, as all hidden blocks. */
export async function copyBlocks(tx: Scope, conversation_id: string, originals: readonly Block[]): Promise<void> {
  const copies = originals.map(({ label, value, limit = null, description, metadata, read_only }) => ({
    ...{ label, value, limit, description, metadata, read_only },
    ...{ hidden: true, conversation_id, tags: [], is_template: false, preserve_on_migration: false },
  }))
  await tx.insertMany(blocks, copies)
}

/** The blocks of an agent with these labels. 400 for a label that no block of the agent has. */
export async function blocksWithLabels(scope: Scope, agentId: string, labels: readonly string[]): Promise<Block[]> {
  if (labels.length === 0) return []
  const attached = await selectBlocks(
    scope,
    sql`exists (select from agents_blocks as link where link.organization_id = ${scope.organizationId}
      and link.agent_id = ${agentId} and link.block_id = blocks.id)`,
  )
  return [...new Set(labels)].map((label) => {
    const block = attached.find((candidate) => candidate.label === label)
    if (!block) throw new ApiError('bad_request', `The agent has no block with the label "${label}".`)
    return block
  })
}

import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { agentBlocks } from '../agents/links.ts'
import { type Block, blocks } from '../blocks/schema.ts'
import { originOf } from './deploy.ts'
import type { Configuration, Template, TemplateBlock, TemplateVersion } from './schema.ts'
import { fill } from './variables.ts'

/** The options of a migration: the parts of their own that agents keep, and the variables they get. */
export interface Migration {
  /** Blocks keep their values. */
  keepValues: boolean
  /** Agents keep folders that the version lacks. */
  keepFolders: boolean
  /** Agents keep secrets that the version doesn't name. */
  keepSecrets: boolean
  /** The migration deletes blocks of the template that the version lacks. */
  deleteBlocks: boolean
  /** Variables to add to those of each agent. */
  memoryVariables?: Record<string, string> | null | undefined
  defaultModel: string
}

/** An agent that was made from a template. */
export interface DeployedAgent {
  id: string
  template_id: string | null
  deployment_id: string
  tags: string[]
  memory_variables: Record<string, string> | null
}

/** A version and its configuration, read once for many agents. */
export interface Target extends Configuration {
  template: Template
  version: TemplateVersion
}

/** Fields of a block that the migration clears if the template lacks them. */
const CLEARED = { description: null, metadata: null, hidden: null }

/** A block of a version, and the block of the agent that becomes it. */
interface Pair {
  wanted: TemplateBlock
  block: Block | undefined
}

/** Pairs the blocks of a version with blocks of `left`, by entity, else by label, and removes those from `left`. */
function pairUp(wanted: readonly TemplateBlock[], left: Set<Block>): Pair[] {
  const byEntity = new Map([...left].map((block) => [block.entity_id, block]))
  const pairs: Pair[] = wanted.map((block) => ({ wanted: block, block: byEntity.get(block.entity_id) }))
  for (const { block } of pairs) if (block) left.delete(block)
  const byLabel = new Map([...left].map((block) => [block.label, block]))
  for (const pair of pairs) {
    pair.block ??= byLabel.get(pair.wanted.label)
    if (pair.block) left.delete(pair.block)
  }
  return pairs
}

/** Migrates an agent's blocks to a version. The agent's own blocks stay, even those with a label of the version. */
export async function migrateBlocks(
  tx: Scope,
  agent: DeployedAgent,
  target: Target,
  migration: Migration,
): Promise<void> {
  const { template, version } = target
  const ids = await tx.linkedIds(agentBlocks, agent.id)
  // Locked, so that no other transaction deletes a block before its update.
  await tx.query(sql`select 1 from blocks where organization_id = ${tx.organizationId} and id = any(${ids}::text[])
    order by id for update`)
  const attached = await tx.select(blocks, (query) => query.where(sql<boolean>`blocks.id = any(${ids}::text[])`))
  const isFromTemplate = (block: Block) =>
    block.base_template_id === template.id && block.deployment_id === agent.deployment_id
  const left = new Set(attached.filter(isFromTemplate))
  const taken = new Set(attached.filter((block) => !isFromTemplate(block)).map(({ label }) => label))
  const pairs = pairUp(target.blocks, left)

  // Deletions come first: they free labels for other blocks.
  if (migration.deleteBlocks) {
    for (const block of left) if (!block.preserve_on_migration) await tx.remove(blocks, block.id!)
  }

  const keeps = (block: Block | undefined) =>
    block !== undefined && (migration.keepValues || block.preserve_on_migration === true)
  const variables = { ...target.memory_defaults, ...agent.memory_variables, ...migration.memoryVariables }
  const filled = new Map(
    fill(
      pairs.filter(({ block }) => !keeps(block)).map(({ wanted }) => wanted),
      variables,
    ).map((block) => [block.entity_id, block.value]),
  )
  for (const { wanted, block } of pairs) {
    const { value: _, limit: __, ...settings } = { ...CLEARED, ...wanted }
    const row = {
      ...settings,
      // A block that keeps its value keeps its limit, too: the value may exceed the new limit.
      ...(!keeps(block) && { value: filled.get(wanted.entity_id)!, limit: wanted.limit }),
      ...originOf(template, version, agent.deployment_id, wanted.entity_id),
    }
    if (block) await tx.update(blocks, block.id!, row)
    else if (!taken.has(wanted.label)) {
      const made = await tx.insert(blocks, row)
      await tx.attach(agentBlocks, agent.id, made.id!)
    }
  }
}

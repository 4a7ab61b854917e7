import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import type { UpdateAgent } from '../agents/body.ts'
import { agentBlocks, agentFolders } from '../agents/links.ts'
import { changeAgent } from '../agents/modify.ts'
import { agents } from '../agents/schema.ts'
import { keepSecrets } from '../agents/secrets.ts'
import { type Block, blocks } from '../blocks/schema.ts'
import { configurationOf } from './configuration.ts'
import { originOf, standingRules } from './deploy.ts'
import type { Configuration, Template, TemplateBlock, TemplateVersion } from './schema.ts'
import { fill } from './variables.ts'

/** What agents keep of their own when they are brought to another version, and what they get. */
export interface Migration {
  /** The values of blocks are kept. */
  keepValues: boolean
  /** Folders the version lacks are kept. */
  keepFolders: boolean
  /** Secrets the version doesn't name are kept. */
  keepSecrets: boolean
  /** Blocks of the template that the version lacks are deleted. */
  deleteBlocks: boolean
  /** Set beside the variables an agent has. */
  memoryVariables?: Record<string, string> | null | undefined
  defaultModel: string
}

interface Deployed {
  id: string
  template_id: string | null
  deployment_id: string
  tags: string[]
  memory_variables: Record<string, string> | null
}

/** A version and what it holds, read once for many agents. */
interface Target extends Configuration {
  template: Template
  version: TemplateVersion
}

/** Fields of a block that are cleared where the template has none. */
const CLEARED = { description: null, metadata: null, hidden: null }

interface Pair {
  wanted: TemplateBlock
  block: Block | undefined
}

/** The blocks of a version, each with the one of `left` it was: by its entity, else by its label. Takes those from `left`. */
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

/** Brings an agent's blocks to a version. Blocks that are the agent's own are left alone, those of the same label too. */
async function migrateBlocks(tx: Scope, agent: Deployed, target: Target, migration: Migration): Promise<void> {
  const { template, version } = target
  const ids = await tx.linkedIds(agentBlocks, agent.id)
  // Held, so that none goes before it is changed.
  await tx.query(sql`select 1 from blocks where organization_id = ${tx.organizationId} and id = any(${ids}::text[])
    order by id for update`)
  const held = await tx.select(blocks, (query) => query.where(sql<boolean>`blocks.id = any(${ids}::text[])`))
  const isFromTemplate = (block: Block) =>
    block.base_template_id === template.id && block.deployment_id === agent.deployment_id
  const left = new Set(held.filter(isFromTemplate))
  const taken = new Set(held.filter((block) => !isFromTemplate(block)).map(({ label }) => label))
  const pairs = pairUp(target.blocks, left)

  // What goes, goes first: its label may be wanted.
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
      // A value that is kept keeps its limit: the new one may be too short for it.
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

/** Brings an agent that this transaction holds to a version. */
async function migrateAgent(
  tx: Scope,
  agent: Deployed,
  target: Target,
  tagsBefore: readonly string[],
  migration: Migration,
): Promise<void> {
  const { tags, tool_rules, ...settings } = target.agent
  await migrateBlocks(tx, agent, target, migration)
  const had = migration.keepFolders ? await tx.linkedIds(agentFolders, agent.id) : []
  const body: UpdateAgent = {
    system: settings.system,
    description: settings.description ?? null,
    model: settings.model,
    llm_config: settings.llm_config,
    model_settings: settings.model_settings ?? null,
    compaction_settings: settings.compaction_settings ?? null,
    response_format: settings.response_format ?? null,
    message_buffer_autoclear: settings.message_buffer_autoclear ?? null,
    max_files_open: settings.max_files_open ?? null,
    per_file_view_window_char_limit: settings.per_file_view_window_char_limit ?? null,
    tool_rules: tool_rules ?? null,
    // Tags an agent got for itself stay, those it had from the template before go.
    tags: [...new Set([...tags, ...agent.tags.filter((tag) => !tagsBefore.includes(tag))])],
    tool_ids: target.tool_ids,
    folder_ids: [...new Set([...target.folder_ids, ...had])],
    template_id: target.version.id,
    deployment_id: agent.deployment_id,
  }
  await changeAgent(tx, agent.id, body, migration.defaultModel)
  const links = migration.keepSecrets ? [] : await keepSecrets(tx, agent.id, target.tool_variables)
  const { memoryVariables } = migration
  const memory_variables = memoryVariables ? { ...agent.memory_variables, ...memoryVariables } : undefined
  await tx.update(agents, agent.id, { memory_variables }, links)
}

/**
 * Brings the agents of a template, or of one deployment of it, to a version, inside the scope's transaction. Returns how
 * many. What an agent is called, its identities, metadata, embedding model and messages stay. 422 as `fill`, 409 when a
 * block's new label is that of a block of the agent's own.
 */
export async function migrateAgents(
  tx: Scope,
  template: Template,
  version: TemplateVersion,
  migration: Migration,
  deploymentId?: string,
): Promise<number> {
  const which: RawBuilder<unknown> = deploymentId === undefined ? sql`is not null` : sql`= ${deploymentId}`
  // Held in one order, as everywhere, until all are done.
  const deployed = await tx.query<Deployed>(sql`
    select id, template_id, deployment_id, tags, memory_variables from agents
    where organization_id = ${tx.organizationId} and base_template_id = ${template.id} and deployment_id ${which}
    order by id for update`)
  if (deployed.length === 0) return 0
  const configuration = await configurationOf(tx, version)
  const target: Target = {
    ...configuration,
    agent: { ...configuration.agent, tool_rules: await standingRules(tx, configuration.agent.tool_rules ?? []) },
    template,
    version,
  }
  const had = [...new Set(deployed.map(({ template_id }) => template_id))]
  const before = await tx.query<{ id: string; tags: string[] }>(sql`
    select id, agent -> 'tags' as tags from template_versions
    where organization_id = ${tx.organizationId} and template_id = ${template.id} and id = any(${had}::text[])`)
  const tagsOf = new Map(before.map(({ id, tags }) => [id, tags]))
  for (const agent of deployed) {
    await migrateAgent(tx, agent, target, tagsOf.get(agent.template_id ?? '') ?? [], migration)
  }
  return deployed.length
}

import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import type { UpdateAgent } from '../agents/body.ts'
import { agentFolders } from '../agents/links.ts'
import { changeAgent } from '../agents/modify.ts'
import { agents } from '../agents/schema.ts'
import { keepSecrets } from '../agents/secrets.ts'
import { configurationOf } from './configuration.ts'
import { standingRules } from './deploy.ts'
import { type DeployedAgent, type Migration, migrateBlocks, type Target } from './migrate-blocks.ts'
import type { Template, TemplateVersion } from './schema.ts'

/** Migrates an agent that this transaction has locked. */
async function migrateAgent(
  tx: Scope,
  agent: DeployedAgent,
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
    // The agent's own tags stay; tags of the previous version go.
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
 * Migrates the agents of a template, or of one of its deployments, to a version, inside the scope's transaction. Returns
 * their number. Names, identities, metadata, embedding models and messages of the agents stay. 422 as `fill`; 409 when a
 * new label of a block is that of a block of the agent's own.
 */
export async function migrateAgents(
  tx: Scope,
  template: Template,
  version: TemplateVersion,
  migration: Migration,
  deploymentId?: string,
): Promise<number> {
  const which: RawBuilder<unknown> = deploymentId === undefined ? sql`is not null` : sql`= ${deploymentId}`
  // Locked in the order of ids, as everywhere, so that no two transactions wait for each other.
  const deployed = await tx.query<DeployedAgent>(sql`
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

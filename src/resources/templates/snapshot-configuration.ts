import type { Scope } from '../../db/scope.ts'
import { inBody, invalid, type ValidationIssue } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { checkToolRules } from '../agents/check-tool-rules.ts'
import { catalogFor, modelOf } from '../agents/model.ts'
import { storedRules } from '../agents/tool-rules.ts'
import { lengthOf } from '../blocks/blocks.ts'
import { DEFAULT_LIMIT } from '../blocks/schema.ts'
import type { LlmConfig } from '../models/schema.ts'
import type { Configuration, TemplateBlock } from './schema.ts'
import { OF_AGENT, OF_MODEL, type Properties, type TemplateSnapshot } from './snapshot-schema.ts'

/** Conflicts between blocks of a snapshot, and relationships that name none of its entities. */
function blockIssues({ agents: [agent], blocks, relationships }: TemplateSnapshot): ValidationIssue[] {
  const issues: ValidationIssue[] = []
  const seen = { label: new Set<string>(), entityId: new Set<string>() }
  blocks.forEach((block, n) => {
    for (const field of ['label', 'entityId'] as const) {
      const value = block[field] ?? undefined
      if (value !== undefined && seen[field].has(value)) {
        issues.push(inBody(`blocks[${n}].${field}`, `is "${value}", as that of another block`))
      }
      if (value !== undefined) seen[field].add(value)
    }
    const [length, limit] = [lengthOf(block.value), block.limit ?? DEFAULT_LIMIT]
    if (length > limit) {
      issues.push(inBody(`blocks[${n}].value`, `has ${length} characters, more than the limit of ${limit}`))
    }
  })
  relationships?.forEach(({ agentEntityId, blockEntityId }, n) => {
    if (agentEntityId !== agent!.entityId || !seen.entityId.has(blockEntityId)) {
      issues.push(inBody(`relationships[${n}]`, 'names an agent or a block that is not in the snapshot'))
    }
  })
  return issues
}

/** The model's configuration, from the handle of a changed model, with the properties; null removes a property. */
async function modelWith(
  scope: Scope,
  model: string,
  properties: Properties | undefined,
  current: Configuration['agent'],
) {
  const isChanged = model !== current.model
  const catalog = await catalogFor(scope, isChanged ? [{ model }] : [])
  const changed = isChanged ? modelOf(catalog, { model }, undefined) : undefined
  const config: Partial<Record<keyof LlmConfig, unknown>> = { ...(changed?.llm_config ?? current.llm_config) }
  for (const [name, field] of Object.entries(OF_MODEL)) {
    const value = properties?.[name as keyof typeof OF_MODEL]
    if (value !== undefined && value !== null) config[field] = value
    else if (value === null && field !== 'context_window') delete config[field]
  }
  // `modelOf` checks the numbers that depend on each other.
  return modelOf(catalog, { model, llm_config: config as LlmConfig }, undefined)
}

/**
 * The configuration of a template that is set to a snapshot: fields that the snapshot lacks stay. 404 for a missing
 * attached resource, 422 for a snapshot that can't become an agent.
 */
export async function configurationFrom(
  tx: Scope,
  snapshot: TemplateSnapshot,
  current: Configuration,
): Promise<Configuration> {
  const agent = snapshot.agents[0]!
  const issues = blockIssues(snapshot)
  agent.toolVariables.data.forEach(({ defaultValue }, n) => {
    if (defaultValue) {
      issues.push(inBody(`agents[0].toolVariables.data[${n}].defaultValue`, 'is not kept: give it to the agents made'))
    }
  })
  if (issues.length > 0) throw invalid(...issues)
  await checkToolRules(tx, agent.toolRules, current.agent.tool_rules ?? [])
  const { properties } = agent
  const settings = Object.fromEntries(OF_AGENT.map((name) => [name, properties?.[name] ?? current.agent[name]]))
  const model = await modelWith(tx, agent.model, properties, current.agent)
  const known = new Map(current.blocks.map((block) => [block.entity_id, block]))
  return {
    agent: withoutUndefined({
      ...current.agent,
      ...settings,
      entity_id: agent.entityId,
      name: agent.name,
      agent_type: agent.agentType,
      system: agent.systemPrompt,
      tags: [...new Set(agent.tags)],
      tool_rules: storedRules(agent.toolRules, 'agents[0].toolRules'),
      model: model.model ?? agent.model,
      llm_config: model.llm_config!,
    }),
    blocks: snapshot.blocks.map(
      (block): TemplateBlock =>
        withoutUndefined({
          ...(known.get(block.entityId ?? '') ?? { metadata: {}, tags: [] }),
          entity_id: block.entityId ?? newId('entity'),
          label: block.label,
          value: block.value,
          limit: block.limit ?? DEFAULT_LIMIT,
          description: block.description ?? undefined,
          preserve_on_migration: block.preserveOnMigration ?? false,
          read_only: block.readOnly ?? false,
        } as TemplateBlock),
    ),
    memory_defaults: Object.fromEntries(
      agent.memoryVariables.data.flatMap(({ key, defaultValue }) =>
        typeof defaultValue === 'string' ? [[key, defaultValue]] : [],
      ),
    ),
    tool_variables: [...new Set(agent.toolVariables.data.map(({ key }) => key))],
    tool_ids: [...new Set(agent.toolIds)],
    folder_ids: [...new Set(agent.sourceIds)],
    identity_ids: [...new Set(agent.identityIds)],
  }
}

const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as T

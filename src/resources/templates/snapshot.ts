import { COMPOSED, VERSION, type Versioned } from '../../db/marks.ts'
import type { Scope } from '../../db/scope.ts'
import { inBody, invalid, type ValidationIssue } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { omitNulls } from '../../lib/json.ts'
import { checkToolRules } from '../agents/check-tool-rules.ts'
import { catalogFor, modelOf } from '../agents/model.ts'
import { lengthOf } from '../blocks/blocks.ts'
import { DEFAULT_LIMIT } from '../blocks/schema.ts'
import type { LlmConfig } from '../models/schema.ts'
import type { TemplateSnapshot } from './body.ts'
import type { Configuration, TemplateBlock, TemplateVersion } from './schema.ts'
import { variablesIn } from './variables.ts'

type Properties = NonNullable<TemplateSnapshot['agents'][number]['properties']>

/** The properties that are fields of the model's configuration, by its names. */
const OF_MODEL = {
  enable_reasoner: 'enable_reasoner',
  put_inner_thoughts_in_kwargs: 'put_inner_thoughts_in_kwargs',
  context_window_limit: 'context_window',
  max_tokens: 'max_tokens',
  max_reasoning_tokens: 'max_reasoning_tokens',
  verbosity_level: 'verbosity',
  reasoning_effort: 'reasoning_effort',
  parallel_tool_calls: 'parallel_tool_calls',
  temperature: 'temperature',
} as const satisfies Partial<Record<keyof Properties, keyof LlmConfig>>

/** The others, which are settings of the agent. */
const OF_AGENT = ['max_files_open', 'message_buffer_autoclear', 'per_file_view_window_char_limit'] as const

const listed = <T>(data: T[]) => ({ version: '1' as const, data })

/** A version as people edit it. Its ETag tells what is attached to it, too. */
export function snapshotOf(version: TemplateVersion & Versioned, configuration: Configuration): TemplateSnapshot {
  const { agent, blocks, memory_defaults, tool_variables, tool_ids, folder_ids, identity_ids } = configuration
  const names = [...new Set([...variablesIn(blocks), ...Object.keys(memory_defaults)])]
  const properties = [
    ...Object.entries(OF_MODEL).map(([name, field]) => [name, agent.llm_config[field]]),
    ...OF_AGENT.map((name) => [name, agent[name]]),
  ].filter(([, value]) => value !== undefined)
  const snapshot: TemplateSnapshot & Versioned = {
    type: 'classic',
    version: version.number === undefined ? 'current' : String(version.number),
    agents: [
      {
        entityId: agent.entity_id,
        name: agent.name,
        agentType: agent.agent_type,
        model: agent.model ?? '',
        systemPrompt: agent.system,
        tags: agent.tags,
        toolIds: tool_ids,
        sourceIds: folder_ids,
        identityIds: identity_ids,
        toolRules: agent.tool_rules ?? [],
        memoryVariables: listed(
          names.map((key) => ({
            key,
            type: 'string',
            ...(Object.hasOwn(memory_defaults, key) && { defaultValue: memory_defaults[key]! }),
          })),
        ),
        toolVariables: listed(tool_variables.map((key) => ({ key, type: 'string' }))),
        properties: Object.fromEntries(properties) as Properties,
      },
    ],
    blocks: blocks.map(({ entity_id, label, value, limit, description, preserve_on_migration, read_only }) => ({
      entityId: entity_id,
      label,
      value,
      limit,
      ...(description !== undefined && { description }),
      preserveOnMigration: preserve_on_migration ?? false,
      readOnly: read_only ?? false,
    })),
    relationships: blocks.map(({ entity_id }) => ({ agentEntityId: agent.entity_id, blockEntityId: entity_id })),
    configuration: {},
  }
  return Object.assign(snapshot, { [VERSION]: version[VERSION]!, [COMPOSED]: true })
}

/** What makes blocks impossible to have beside each other, or relationships to be what they say. */
function blockFaults({ agents: [agent], blocks, relationships }: TemplateSnapshot): ValidationIssue[] {
  const faults: ValidationIssue[] = []
  const seen = { label: new Set<string>(), entityId: new Set<string>() }
  blocks.forEach((block, n) => {
    for (const field of ['label', 'entityId'] as const) {
      const value = block[field] ?? undefined
      if (value !== undefined && seen[field].has(value)) {
        faults.push(inBody(`blocks[${n}].${field}`, `is "${value}", as that of another block`))
      }
      if (value !== undefined) seen[field].add(value)
    }
    const [length, limit] = [lengthOf(block.value), block.limit ?? DEFAULT_LIMIT]
    if (length > limit) {
      faults.push(inBody(`blocks[${n}].value`, `has ${length} characters, more than the limit of ${limit}`))
    }
  })
  relationships?.forEach(({ agentEntityId, blockEntityId }, n) => {
    if (agentEntityId !== agent!.entityId || !seen.entityId.has(blockEntityId)) {
      faults.push(inBody(`relationships[${n}]`, 'names an agent or a block that is not in the snapshot'))
    }
  })
  return faults
}

/** The model's configuration: that of another model from its handle, with the properties given; null takes one away. */
async function modelWith(
  scope: Scope,
  model: string,
  properties: Properties | undefined,
  current: Configuration['agent'],
) {
  const isChanged = model !== current.model
  const catalog = await catalogFor(scope, isChanged ? [{ model }] : [])
  const changed = isChanged ? modelOf(catalog, { model }, undefined) : undefined
  const config: Record<string, unknown> = { ...(changed?.llm_config ?? current.llm_config) }
  for (const [name, field] of Object.entries(OF_MODEL)) {
    const value = properties?.[name as keyof typeof OF_MODEL]
    if (value !== undefined && value !== null) config[field] = value
    else if (value === null && field !== 'context_window') delete config[field]
  }
  // Checks the numbers that depend on each other.
  return modelOf(catalog, { model, llm_config: config as unknown as LlmConfig }, undefined)
}

/**
 * What a template holds when it is set to a snapshot: what a snapshot doesn't tell stays as it is. 404 for anything
 * attached that isn't there, 422 for what can't be an agent.
 */
export async function configurationFrom(
  tx: Scope,
  snapshot: TemplateSnapshot,
  current: Configuration,
): Promise<Configuration> {
  const agent = snapshot.agents[0]!
  const faults = blockFaults(snapshot)
  agent.toolVariables.data.forEach(({ defaultValue }, n) => {
    if (defaultValue) {
      faults.push(inBody(`agents[0].toolVariables.data[${n}].defaultValue`, 'is not kept: give it to the agents made'))
    }
  })
  if (faults.length > 0) throw invalid(...faults)
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
      tool_rules: omitNulls(agent.toolRules, 'args'),
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

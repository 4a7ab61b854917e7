import { COMPOSED, VERSION, type Versioned } from '../../db/marks.ts'
import type { Configuration, TemplateVersion } from './schema.ts'
import { OF_AGENT, OF_MODEL, type Properties, type TemplateSnapshot } from './snapshot-schema.ts'
import { variablesIn } from './variables.ts'

const listed = <T>(data: T[]) => ({ version: '1' as const, data })

/** A version in the form for editing. Its ETag covers the attached resources, too. */
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
  return Object.assign(snapshot, { [VERSION]: version[VERSION]!, [COMPOSED]: '' })
}

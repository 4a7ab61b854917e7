import type { RJSFSchema, UiSchema } from '@rjsf/utils'
import type { Agent } from '../../../api/generated.ts'

/** The settings that can be changed here, in the order of the form. Tools, blocks and folders have tabs of their own. */
const FIELDS = [
  'name',
  'description',
  'model',
  'system',
  'tags',
  'timezone',
  'model_settings',
  'compaction_settings',
  'message_buffer_autoclear',
  'enable_sleeptime',
  'max_files_open',
  'per_file_view_window_char_limit',
  'tool_rules',
  'response_format',
  'metadata',
] as const satisfies readonly (keyof Agent)[]

export type Settings = Partial<Pick<Agent, (typeof FIELDS)[number]>>

/** Settings that only the JSON shows: their schemas have too many variants for a form. */
const JSON_ONLY = new Set<string>([
  'tool_rules',
  'response_format',
  'metadata',
  'model_settings',
  'compaction_settings',
])

export const UI: UiSchema = {
  description: { 'ui:widget': 'textarea' },
  system: { 'ui:widget': 'textarea' },
}

/** The agent's present settings. */
export const settingsOf = (agent: Agent): Settings =>
  Object.fromEntries(FIELDS.filter((field) => agent[field] !== undefined).map((field) => [field, agent[field]]))

/** The variant of model settings that the agent's provider uses. */
function modelSettings(schema: RJSFSchema, agent: Agent): RJSFSchema | undefined {
  const variants = (schema.components?.schemas?.ModelSettings?.anyOf ?? []) as RJSFSchema[]
  const used = agent.model_settings?.provider_type
  return variants.find(({ properties }) => (properties?.provider_type as RJSFSchema | undefined)?.enum?.[0] === used)
}

/** The schema of the form, of the schema of the body that changes an agent. */
export function formSchema(schema: RJSFSchema, agent: Agent): RJSFSchema {
  const fields = FIELDS.filter((field) => !JSON_ONLY.has(field) && schema.properties?.[field])
  const properties = Object.fromEntries(fields.map((field) => [field, schema.properties![field]!]))
  const model = modelSettings(schema, agent)
  const compaction = schema.components?.schemas?.CompactionSettings as RJSFSchema | undefined
  const { model_settings: _, ...compactionFields } = compaction?.properties ?? {}
  return {
    type: 'object',
    components: schema.components,
    properties: {
      ...properties,
      ...(model && { model_settings: model }),
      ...(compaction && { compaction_settings: { type: 'object', properties: compactionFields } }),
    },
  }
}

/** What a save sends: the settings that differ from the stored ones; a removed one is `null`. */
export const changesOf = (before: Settings, after: Settings): Record<string, unknown> =>
  Object.fromEntries(
    FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field])).map((field) => [
      field,
      after[field] ?? null,
    ]),
  )

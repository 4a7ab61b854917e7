import { type Static, Type } from 'typebox'
import { defineResource, ORGANIZATION } from '../../db/resource.ts'
import { Id, Instant, Int, JsonMap, Shape } from '../../lib/wire.ts'
import type { Agent } from '../agents/schema.ts'
import type { Block } from '../blocks/schema.ts'

const { Optional } = Type

export const Template = Shape('Template', {
  id: Id('template'),
  name: Type.String(),
  project_id: Id('project'),
  project_slug: Type.String(),
  latest_version: Type.String({ description: 'The number of the version that was saved last.' }),
  description: Optional(Type.String()),
  template_deployment_slug: Type.String({ description: 'The whole name: project, template and version.' }),
  updated_at: Instant(),
})
export type Template = Static<typeof Template>

const PROJECT_SLUG = `(select slug from projects where projects.organization_id = ${ORGANIZATION}
  and projects.id = templates.project_id)`

export const templates = defineResource<Template>()(Template, {
  table: 'templates',
  prefix: 'template',
  order: 'desc',
  conflicts: { templates_name_key: 'A template with this name already exists in this project.' },
  computed: {
    project_slug: PROJECT_SLUG,
    latest_version: '"templates"."latest"::text',
    template_deployment_slug: `(${PROJECT_SLUG} || '/' || "templates"."name" || ':' || "templates"."latest")`,
  },
})

/** The settings of an agent that its template stores. */
export const KEPT = [
  'name',
  'agent_type',
  'system',
  'description',
  'metadata',
  'tags',
  'model',
  'llm_config',
  'model_settings',
  'embedding',
  'embedding_config',
  'compaction_settings',
  'response_format',
  'tool_rules',
  'message_buffer_autoclear',
  'enable_sleeptime',
  'timezone',
  'max_files_open',
  'per_file_view_window_char_limit',
  'hidden',
] as const

export type TemplateAgent = Pick<Agent, (typeof KEPT)[number]> & { entity_id: string }

/** A block as a template stores it: its value may hold `{{variables}}`. */
export type TemplateBlock = Pick<
  Block,
  'value' | 'description' | 'metadata' | 'read_only' | 'hidden' | 'tags' | 'preserve_on_migration'
> & { entity_id: string; label: string; limit: number }

/** The content of a version of a template. */
export interface Configuration {
  agent: TemplateAgent
  blocks: TemplateBlock[]
  /** The default values of variables in the blocks. */
  memory_defaults: Record<string, string>
  /** The names of the agent's secrets. Their values are never stored. */
  tool_variables: string[]
  tool_ids: string[]
  folder_ids: string[]
  identity_ids: string[]
}

/** A version as its row stores it: its attachments are rows of other tables. */
export type TemplateVersion = Pick<Configuration, 'agent' | 'blocks' | 'memory_defaults' | 'tool_variables'> & {
  id: string
  template_id: string
  created_at: string
  /** Absent for the working copy. */
  number?: number
  based_on?: number
  message?: string
}

const versionShape = Type.Object({
  id: Id('template_version'),
  template_id: Id('template'),
  created_at: Instant(),
  number: Optional(Int()),
  based_on: Optional(Int()),
  message: Optional(Type.String()),
  agent: JsonMap(),
  blocks: Type.Array(JsonMap()),
  memory_defaults: JsonMap(),
  tool_variables: Type.Array(Type.String()),
})

export const templateVersions = defineResource<TemplateVersion>()(versionShape, {
  table: 'template_versions',
  prefix: 'template_version',
  order: 'desc',
  json: ['agent', 'blocks', 'memory_defaults'],
})

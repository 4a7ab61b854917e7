import { type Static, Type } from 'typebox'
import {
  Create,
  Id,
  Instant,
  Int,
  JsonMap,
  Name,
  Offset,
  OneOf,
  OrNull,
  Params,
  Query,
  Ref,
  Strict,
} from '../../lib/wire.ts'
import { MessageCreate, Variables } from '../agents/body.ts'
import { AGENT_TYPES, Agent, settings } from '../agents/schema.ts'
import { ToolRule } from '../agents/tool-rules.ts'
import { Template } from './schema.ts'

const { Optional } = Type

/** What follows a template's name in a path, and would be taken for one. */
const RESERVED = 'save|rollback|agents'

const TemplateName = Type.String({
  pattern: `^(?!(?:${RESERVED})$)[a-zA-Z0-9_-]+$`,
  title: `made of letters, digits, _ and -, and none of ${RESERVED.replaceAll('|', ', ')}`,
  maxLength: 200,
})

export const CreateTemplate = Type.Unsafe<
  | { type: 'agent'; agent_id: string; name?: string | null }
  | { type: 'agent_file'; agent_file: Record<string, unknown>; name?: string | null; update_existing_tools?: boolean }
>({
  anyOf: [
    Create({ type: Type.Literal('agent'), agent_id: Id('agent'), name: TemplateName }, ['type', 'agent_id']),
    Create(
      {
        type: Type.Literal('agent_file'),
        agent_file: JsonMap(),
        name: TemplateName,
        update_existing_tools: Type.Boolean(),
      },
      ['type', 'agent_file'],
    ),
  ],
})
export type CreateTemplate = Static<typeof CreateTemplate>

export const UpdateTemplate = Create(
  {
    agent_file_json: JsonMap(),
    save_existing_changes: Type.Boolean({ description: 'Save what is unsaved as a version first.' }),
    update_existing_tools: Type.Boolean(),
  },
  ['agent_file_json'],
)

export const ForkTemplate = OrNull(Create({ name: TemplateName }))
export const RenameTemplate = Create({ new_name: TemplateName }, ['new_name'])
export const DescribeTemplate = Create({ description: Type.String() })

/** How agents are brought to another version. */
const MIGRATION = {
  preserve_core_memories: Type.Boolean({
    description: 'Blocks keep their values. Default false: they get those of the template, filled anew.',
  }),
  preserve_sources: Type.Boolean({
    description: 'Agents keep their folders beside those of the template. Default false.',
  }),
  preserve_tool_variables: Type.Boolean({
    description: 'Agents keep secrets the template doesn’t name. Default false: only those it names.',
  }),
}

export const SaveTemplate = OrNull(
  Create({
    message: Type.String({ description: 'What has changed.' }),
    migrate_agents: Type.Boolean({ description: 'Bring every agent of the template to the new version.' }),
    preserve_core_memories_on_migration: MIGRATION.preserve_core_memories,
    preserve_environment_variables_on_migration: MIGRATION.preserve_tool_variables,
    preserve_sources_on_migration: MIGRATION.preserve_sources,
    block_reconciliation_strategy: OneOf(['reconcile-all', 'preserve-deleted'], {
      description:
        'What becomes of blocks that agents got from the template and the new version lacks: deleted, or kept (the default).',
    }),
  }),
)
export type SaveTemplate = Static<typeof SaveTemplate>

const Number_ = Type.String({ pattern: '^(latest|[1-9][0-9]{0,8})$', title: 'the number of a version, or latest' })

export const RollbackTemplate = Create({ version: Number_ }, ['version'])

export const MigrateDeployment = Create({ version: Number_, ...MIGRATION, memory_variables: Variables }, ['version'])
export type MigrateDeployment = Static<typeof MigrateDeployment>

export const CreateTemplateAgents = OrNull(
  Create({
    agent_name: settings.name,
    tags: settings.tags,
    identity_ids: Type.Array(Id('identity')),
    memory_variables: { ...Variables, description: 'What {{variables}} in the values of blocks are filled with.' },
    tool_variables: { ...Variables, description: 'The secrets of the agent, by name.' },
    initial_message_sequence: Type.Array(MessageCreate),
  }),
)
export type CreateTemplateAgents = Static<typeof CreateTemplateAgents>

/** The answer of a change that may have something to say besides. */
export const Done = Type.Object(
  { success: Type.Boolean(), message: Optional(Type.String()) },
  { additionalProperties: false },
)

/** The agents that were made, and the deployment they are. */
export const Deployment = Type.Object(
  {
    agent_ids: Type.Array(Id('agent')),
    deployment_id: Id('deployment'),
    group_id: OrNull(Id('group')),
    agents: Optional(
      Type.Array(Ref(Agent), { description: 'Under `/letta`, for SDKs of the older generation (0.x) alone.' }),
    ),
  },
  { additionalProperties: false },
)
export type Deployment = Static<typeof Deployment>

export const ListTemplates = Query({
  ...Offset,
  name: Optional(Type.String({ description: 'Part of the name, in any case.' })),
  exact: Optional(Type.Boolean({ description: 'The whole name instead, exactly.' })),
  search: Optional(Type.String({ description: 'Part of the name or of the description, in any case.' })),
  template_id: Optional(Id('template')),
  project_id: Optional(Id('project')),
  project_slug: Optional(Type.String()),
  version: Optional({ ...Number_, description: 'Templates that have this version; their whole names then name it.' }),
  sort_by: Optional(OneOf(['updated_at', 'created_at'], { description: 'Newest first, by this. Default updated_at.' })),
})
export type ListTemplates = Static<typeof ListTemplates>

export const TemplateList = Type.Object(
  { templates: Type.Array(Ref(Template)), has_next_page: Type.Boolean() },
  { additionalProperties: false },
)

export const ListVersions = Query(Offset)
export type ListVersions = Static<typeof ListVersions>

export const VersionList = Type.Object(
  {
    versions: Type.Array(
      Type.Object(
        {
          version: Type.String(),
          created_at: Instant(),
          message: Optional(Type.String()),
          is_latest: Type.Boolean(),
        },
        { additionalProperties: false },
      ),
    ),
    has_next_page: Type.Boolean(),
    total_count: Int(),
  },
  { additionalProperties: false },
)

const VariableList = Type.Object(
  {
    version: Type.Literal('1'),
    data: Type.Array(
      Type.Object(
        { key: Type.String(), defaultValue: Optional(OrNull(Type.String())), type: Type.String() },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

/** The settings a snapshot has beside the main ones. */
export const PROPERTIES = {
  enable_reasoner: Type.Boolean(),
  put_inner_thoughts_in_kwargs: Type.Boolean(),
  context_window_limit: Int({ minimum: 1 }),
  max_tokens: Int({ minimum: 1 }),
  max_reasoning_tokens: Int(),
  max_files_open: settings.max_files_open,
  message_buffer_autoclear: settings.message_buffer_autoclear,
  verbosity_level: OneOf(['low', 'medium', 'high']),
  reasoning_effort: OneOf(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']),
  per_file_view_window_char_limit: settings.per_file_view_window_char_limit,
  parallel_tool_calls: Type.Boolean(),
  temperature: Type.Number(),
}

const SnapshotAgent = Strict({
  entityId: Name({ minLength: 1 }),
  name: settings.name,
  agentType: OneOf(AGENT_TYPES),
  model: settings.model,
  systemPrompt: Type.String(),
  tags: settings.tags,
  toolIds: Type.Array(Id('tool')),
  sourceIds: Type.Array(Id('source')),
  identityIds: Type.Array(Id('identity')),
  toolRules: Type.Array(Ref(ToolRule)),
  memoryVariables: VariableList,
  toolVariables: VariableList,
  properties: Strict(
    Object.fromEntries(Object.entries(PROPERTIES).map(([name, schema]) => [name, Optional(schema)])) as {
      [K in keyof typeof PROPERTIES]: Type.TOptional<(typeof PROPERTIES)[K]>
    },
  ),
})

const SnapshotBlock = Strict({
  entityId: Optional(Name({ minLength: 1, description: 'Made by the server for a new block.' })),
  label: Name({ minLength: 1 }),
  value: Type.String(),
  limit: Optional(Int()),
  description: Optional(Type.String()),
  preserveOnMigration: Optional(Type.Boolean()),
  readOnly: Optional(Type.Boolean()),
})

/** A version of a template as people edit it. What it doesn't tell stays as it is in the template. */
export const TemplateSnapshot = Strict(
  {
    type: Type.Literal('classic', { description: 'One agent, which is what templates hold.' }),
    version: Optional(Type.String({ description: 'The number of the version, or current.' })),
    agents: Type.Array(SnapshotAgent, { minItems: 1, maxItems: 1 }),
    blocks: Type.Array(SnapshotBlock),
    relationships: Optional(Type.Array(Strict({ agentEntityId: Type.String(), blockEntityId: Type.String() }))),
    configuration: Optional(Strict({})),
  },
  { $id: 'TemplateSnapshot' },
)
export type TemplateSnapshot = Static<typeof TemplateSnapshot>

const NAME_IN_PATH = '[a-zA-Z0-9_-]+'

/** A template's name in a path; a version that follows it is not heeded. */
export const template_name = Type.String({
  pattern: `^${NAME_IN_PATH}(:[a-z0-9]+)?$`,
  title: 'the name of a template',
  maxLength: 300,
})

/** A template and which of its versions, in a path: the latest unless told. */
export const template_version = Type.String({
  pattern: `^${NAME_IN_PATH}(:(latest|current|dev|[1-9][0-9]{0,8}))?$`,
  title: 'the name of a template and a version, such as support:3 or support:latest',
  maxLength: 300,
})

export const ProjectNameParams = Params({ project_id: Id('project'), template_name })
export const ProjectVersionParams = Params({ project_id: Id('project'), template_version })
export const DeploymentParams = Params({ project_id: Id('project'), template_name, deployment_id: Id('deployment') })

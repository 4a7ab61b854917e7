import { type Static, Type } from 'typebox'
import {
  Closed,
  Create,
  Id,
  Instant,
  Int,
  List,
  Name,
  Offset,
  OneOf,
  OrNull,
  Params,
  Query,
  Ref,
  Text,
} from '../../lib/wire.ts'
import { Variables } from '../agents/body.ts'
import { Agent, settings } from '../agents/schema.ts'
import { MessageCreate } from '../messages/body.ts'
import { Template } from './schema.ts'

const { Optional } = Type

/** An agent file: as long as a body may be. */
const AgentFile = Type.Record(Type.String(), Type.Unknown())

/** Words that follow a template's name in a path: a template with such a name would be ambiguous. */
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
        agent_file: AgentFile,
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
    agent_file_json: AgentFile,
    save_existing_changes: Type.Boolean({ description: 'Save unsaved changes as a version first.' }),
    update_existing_tools: Type.Boolean(),
  },
  ['agent_file_json'],
)

export const ForkTemplate = OrNull(Create({ name: TemplateName }))
export const RenameTemplate = Create({ new_name: TemplateName }, ['new_name'])
export const DescribeTemplate = Create({ description: Text() })

/** The options of a migration to another version. */
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
    message: Text({ description: 'What has changed.' }),
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
    identity_ids: List(Id('identity')),
    memory_variables: { ...Variables, description: 'What {{variables}} in the values of blocks are filled with.' },
    tool_variables: { ...Variables, description: 'The secrets of the agent, by name.' },
    initial_message_sequence: List(MessageCreate),
  }),
)
export type CreateTemplateAgents = Static<typeof CreateTemplateAgents>

/** The response to a change that may report more than its success. */
export const Done = Closed({ success: Type.Boolean(), message: Optional(Type.String()) })

/** The agents of a new deployment, and its id. */
export const Deployment = Closed({
  agent_ids: Type.Array(Id('agent')),
  deployment_id: Id('deployment'),
  group_id: OrNull(Id('group')),
  agents: Optional(
    Type.Array(Ref(Agent), { description: 'Under `/letta`, for SDKs of the older generation (0.x) alone.' }),
  ),
})
export type Deployment = Static<typeof Deployment>

export const ListTemplates = Query({
  ...Offset,
  name: Optional(Name({ description: 'Part of the name, in any case.' })),
  exact: Optional(Type.Boolean({ description: 'The whole name instead, exactly.' })),
  search: Optional(Name({ description: 'Part of the name or of the description, in any case.' })),
  template_id: Optional(Id('template')),
  project_id: Optional(Id('project')),
  project_slug: Optional(Type.String()),
  version: Optional({ ...Number_, description: 'Templates that have this version; their whole names then name it.' }),
  sort_by: Optional(OneOf(['updated_at', 'created_at'], { description: 'Newest first, by this. Default updated_at.' })),
})
export type ListTemplates = Static<typeof ListTemplates>

export const TemplateList = Closed({ templates: Type.Array(Ref(Template)), has_next_page: Type.Boolean() })

export const ListVersions = Query(Offset)
export type ListVersions = Static<typeof ListVersions>

export const VersionList = Closed({
  versions: Type.Array(
    Closed({
      version: Type.String(),
      created_at: Instant(),
      message: Optional(Type.String()),
      is_latest: Type.Boolean(),
    }),
  ),
  has_next_page: Type.Boolean(),
  total_count: Int(),
})

const NAME_IN_PATH = '[a-zA-Z0-9_-]+'

/** The name of a template in a path, and a version that the server ignores. */
export const template_name = Type.String({
  pattern: `^${NAME_IN_PATH}(:[a-z0-9]+)?$`,
  title: 'the name of a template',
  maxLength: 300,
})

/** The name and the version of a template in a path: by default the latest version. */
export const template_version = Type.String({
  pattern: `^${NAME_IN_PATH}(:(latest|current|dev|[1-9][0-9]{0,8}))?$`,
  title: 'the name of a template and a version, such as support:3 or support:latest',
  maxLength: 300,
})

export const ProjectNameParams = Params({ project_id: Id('project'), template_name })
export const ProjectVersionParams = Params({ project_id: Id('project'), template_version })
export const DeploymentParams = Params({ project_id: Id('project'), template_name, deployment_id: Id('deployment') })

import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { MAX_TOOL_NAME } from '../../lib/tool-name.ts'
import { Create, Int, JsonMap, OneOf, OrNull, Strict } from '../../lib/wire.ts'
import { modelFields } from '../agents/body.ts'
import { AGENT_TYPES, settings } from '../agents/schema.ts'
import { CreateBlock } from '../blocks/schema.ts'
import { CreateFolder } from '../folders/body.ts'
import { managerNaming } from '../groups/manager.ts'
import { MessageCreate } from '../messages/body.ts'
import { Handle } from '../models/schema.ts'
import { TOOL_TYPES } from '../tools/schema.ts'

const { Optional } = Type

/** The parts of an agent file (`.af`). They refer to each other by ids of the file's own. */

const FileId = Type.String({ minLength: 1, maxLength: 200 })
const Refs = Type.Array(FileId)
const Variables = Type.Record(Type.String(), OrNull(Type.String()), { propertyNames: { minLength: 1, maxLength: 500 } })

/** The fields of a create call's body: an entry of a file has those, and an id. */
const fieldsOf = (body: unknown) => (body as TObject).properties

/** The fields of a row that an entry has under the same names. */
export const sharedFields = (entry: unknown, row: object) =>
  Object.fromEntries(Object.keys(fieldsOf(entry)).map((field) => [field, row[field as keyof typeof row] as unknown]))

// Projects, templates, deployments and identities are of the organization the file comes from: they stay behind.
const AWAY = ['project_id', 'template_id', 'base_template_id', 'deployment_id', 'entity_id'] as const
type Away = (typeof AWAY)[number]

function without<P extends TProperties>(fields: P): Omit<P, Away> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !AWAY.includes(name as Away))) as Omit<P, Away>
}

const entry = <Body>(body: unknown, required: readonly string[]) =>
  Type.Unsafe<{ id: string } & Omit<Body, Away>>(
    Create({ id: FileId, ...without(fieldsOf(body)) } as TProperties, ['id', ...required]),
  )

export const BlockEntry = entry<Partial<CreateBlock> & { value: string }>(CreateBlock, ['value'])
export type BlockEntry = Static<typeof BlockEntry>

export const SourceEntry = entry<CreateFolder>(CreateFolder, ['name'])
export type SourceEntry = Static<typeof SourceEntry>

const Requirements = Type.Array(
  Strict({ name: Type.String({ minLength: 1 }), version: Optional(OrNull(Type.String())) }),
)

export const ToolEntry = Create(
  {
    id: FileId,
    name: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_-]*$', title: 'a function name', maxLength: MAX_TOOL_NAME }),
    tool_type: OneOf(TOOL_TYPES),
    description: Type.String(),
    source_type: OneOf(['python', 'typescript', 'json']),
    source_code: Type.String(),
    json_schema: JsonMap(),
    args_json_schema: JsonMap(),
    tags: Type.Array(Type.String()),
    return_char_limit: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    pip_requirements: Requirements,
    npm_requirements: Requirements,
    metadata_: JsonMap(),
    default_requires_approval: Type.Boolean(),
    enable_parallel_execution: Type.Boolean(),
  },
  ['id'],
)
export type ToolEntry = Static<typeof ToolEntry>

export const FileEntry = Create(
  {
    id: FileId,
    source_id: FileId,
    file_name: Type.String(),
    original_file_name: Type.String(),
    file_path: Type.String(),
    file_type: Type.String(),
    file_size: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    file_creation_date: Type.String(),
    file_last_modified_date: Type.String(),
    processing_status: Type.String(),
    error_message: Type.String(),
    total_chunks: Type.Integer(),
    chunks_embedded: Type.Integer(),
    content: Type.String(),
  },
  ['id', 'source_id'],
)
export type FileEntry = Static<typeof FileEntry>

export const GroupEntry = Create(
  {
    id: FileId,
    agent_ids: Refs,
    description: Type.String(),
    manager_config: managerNaming(FileId),
    shared_block_ids: Refs,
    hidden: Type.Boolean(),
  },
  ['id', 'agent_ids', 'description'],
)
export type GroupEntry = Static<typeof GroupEntry>

const ROLES = ['assistant', 'user', 'tool', 'function', 'system', 'approval', 'summary'] as const

const ToolCall = Type.Object({
  id: Type.String(),
  function: Type.Object({ name: Type.String(), arguments: Type.String() }),
})

export const MessageEntry = Create(
  {
    id: FileId,
    agent_id: Type.String({ description: 'Said already by where the message stands.' }),
    role: OneOf(ROLES),
    content: Type.Union([Type.String(), Type.Array(Type.Object({ type: Type.String() }))]),
    text: Type.String({ description: 'What the oldest files have for content.' }),
    name: Type.String(),
    otid: Type.String(),
    sender_id: Type.String(),
    group_id: Type.String(),
    model: Type.String(),
    tool_calls: Type.Array(ToolCall),
    tool_call_id: Type.String(),
    tool_returns: Type.Array(JsonMap()),
    approval_request_id: Type.String(),
    approve: Type.Boolean(),
    denial_reason: Type.String(),
    approvals: Type.Array(JsonMap()),
    created_at: Type.String(),
  },
  ['id', 'role'],
)
export type MessageEntry = Static<typeof MessageEntry>

export const FileAgentEntry = Create(
  {
    id: FileId,
    agent_id: FileId,
    file_id: FileId,
    source_id: FileId,
    file_name: Type.String(),
    is_open: Type.Boolean(),
    visible_content: Type.String(),
    start_line: Int(),
    end_line: Int(),
    last_accessed_at: Type.String(),
  },
  ['file_id'],
)

/** An agent without its messages, which are looked at one by one. */
export const AgentEntry = Create(
  {
    id: FileId,
    ...without(settings),
    agent_type: OneOf(AGENT_TYPES),
    model: Handle,
    embedding: Handle,
    ...modelFields,
    memory_blocks: Type.Array(CreateBlock),
    block_ids: Refs,
    tools: Type.Array(Type.String()),
    tool_ids: Refs,
    include_base_tools: Type.Boolean(),
    include_multi_agent_tools: Type.Boolean(),
    source_ids: Refs,
    folder_ids: Refs,
    group_ids: Refs,
    secrets: Variables,
    tool_exec_environment_variables: Variables,
    initial_message_sequence: Type.Array(MessageCreate),
    in_context_message_ids: Refs,
    files_agents: Type.Array(FileAgentEntry),
  },
  ['id'],
)
export type AgentEntry = Static<typeof AgentEntry>

/** A part of a file, and where it stands there. */
export type Placed<T> = T & { at: string }

export type PlacedAgent = Placed<AgentEntry> & { messages: Placed<MessageEntry>[] }

/** An agent file whose parts are what they should be. */
export interface AgentFileParts {
  agents: PlacedAgent[]
  blocks: Placed<BlockEntry>[]
  tools: Placed<ToolEntry>[]
  groups: Placed<GroupEntry>[]
  sources: Placed<SourceEntry>[]
  files: Placed<FileEntry>[]
  /** The MCP servers, which are matched by their names. */
  mcpServers: Placed<{ name: string }>[]
  /** The parts of the file that this server can't use, with their places. */
  warnings: string[]
}

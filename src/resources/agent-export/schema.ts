import { type Static, Type } from 'typebox'
import { Closed, Int, JsonMap, Name, Query } from '../../lib/wire.ts'
import { settings } from '../agents/schema.ts'
import { Handle } from '../models/schema.ts'

const { Optional } = Type

const ANY = Type.Array(JsonMap())

/** The response of an export. */
export const AgentFile = Type.Object(
  {
    agents: ANY,
    groups: ANY,
    blocks: ANY,
    files: ANY,
    sources: ANY,
    tools: ANY,
    mcp_servers: ANY,
    skills: ANY,
    metadata: Type.Record(Type.String(), Type.String()),
    created_at: Type.String({ format: 'date-time' }),
  },
  { description: 'An agent file (.af): JSON that this server, and others of its kind, import.' },
)
export type AgentFile = Static<typeof AgentFile>

export const ExportQuery = Query({
  scrub_messages: Optional(Type.Boolean({ description: 'Leave out all messages.' })),
  max_steps: Optional(
    Int({
      description:
        'Deprecated: of the messages that are no longer in context, only those since the last so many of a user.',
    }),
  ),
  use_legacy_format: Optional(
    Type.Unsafe<false>({
      type: 'boolean',
      enum: [false],
      description: 'Deprecated: the older format, of one agent, can be imported, but is no longer written.',
    }),
  ),
})
export type ExportQuery = Static<typeof ExportQuery>

const handle = (description: string) => ({ ...Handle, description })

/** The form an agent file is sent in. */
export const ImportForm = Closed({
  file: Type.String({ format: 'binary', description: 'The agent file.' }),
  name: Optional({ ...settings.name, description: 'What every agent of the file is to be called.' }),
  model: Optional(handle('The model of every agent of the file.')),
  embedding: Optional(handle('The embedding model of every agent and folder of the file.')),
  secrets: Optional(Type.String({ description: 'Secrets of every agent of the file: a JSON object of strings.' })),
  override_existing_tools: Optional(
    Type.Boolean({ description: "Tools of the same name are changed into the file's. Default true." }),
  ),
  strip_messages: Optional(Type.Boolean({ description: 'The agents begin anew, without their messages.' })),
  append_copy_suffix: Optional(Type.Boolean({ description: 'Deprecated: use name. Adds _copy to the names.' })),
  override_name: Optional({ ...settings.name, description: 'Deprecated: use name.' }),
  override_model_handle: Optional(handle('Deprecated: use model.')),
  override_embedding_handle: Optional(handle('Deprecated: use embedding.')),
  project_id: Optional(Name({ description: 'The project of every agent of the file.' })),
  env_vars_json: Optional(Type.String({ description: 'Deprecated: use secrets.' })),
})
export type ImportForm = Static<typeof ImportForm>

export const ImportHeaders = Type.Object({
  'x-override-embedding-model': Optional(
    Type.String({ description: 'The same as the field embedding, which it overrides.' }),
  ),
  'x-project-id': Optional(Type.String({ description: 'The same as the field project_id, which it overrides.' })),
})

export const ImportedAgents = Closed({
  agent_ids: Type.Array(Type.String({ description: 'The agents made, in the order of the file.' })),
  warnings: Optional(
    Type.Array(Type.String(), {
      description: 'What of the file was left out, each with its place. Absent if nothing was.',
    }),
  ),
})
export type ImportedAgents = Static<typeof ImportedAgents>

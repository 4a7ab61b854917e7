import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import { Id, JsonMap, OneOf } from '../../lib/wire.ts'

const { Optional } = Type

export const TOOL_TYPES = [
  'custom',
  'svc_core',
  'svc_memory_core',
  'svc_multi_agent_core',
  'svc_sleeptime_core',
  'svc_voice_sleeptime_core',
  'svc_builtin',
  'svc_files_core',
  'external_langchain',
  'external_composio',
  'external_mcp',
] as const

/** A package a tool needs, and its version (semantic versioning). */
export const Requirement = Type.Object(
  { name: Type.String({ minLength: 1 }), version: Optional(Type.String()) },
  { additionalProperties: false },
)

export const Tool = Type.Object(
  {
    id: Id('tool'),
    args_json_schema: Optional(JsonMap()),
    created_by_id: Optional(Type.String()),
    default_requires_approval: Optional(Type.Boolean()),
    description: Optional(Type.String()),
    enable_parallel_execution: Optional(
      Type.Boolean({ description: 'True if it may run concurrently with other tools. Default false.' }),
    ),
    json_schema: Optional(JsonMap()),
    last_updated_by_id: Optional(Type.String()),
    metadata_: Optional(JsonMap()),
    name: Optional(Type.String({ description: 'Function name.' })),
    npm_requirements: Optional(Type.Array(Requirement)),
    pip_requirements: Optional(Type.Array(Requirement)),
    project_id: Optional(Type.String()),
    return_char_limit: Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Maximum characters in the response.' }),
    ),
    source_code: Optional(Type.String()),
    source_type: Optional(Type.String()),
    tags: Optional(Type.Array(Type.String())),
    tool_type: Optional(OneOf(TOOL_TYPES)),
  },
  { $id: 'Tool', additionalProperties: false },
)
export type Tool = Static<typeof Tool>

export const tools = defineResource<Tool>()(Tool, { table: 'tools', prefix: 'tool', order: 'desc' })

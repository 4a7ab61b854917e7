import { type Static, Type } from 'typebox'
import { renamed } from '../../db/render/json-columns.ts'
import { defineResource } from '../../db/resource.ts'
import {
  Closed,
  Create,
  FilterList,
  Id,
  JsonMap,
  List,
  Name,
  OneOf,
  OrNull,
  Page,
  Params,
  Patch,
  Query,
  Ref,
  Shape,
  Strict,
  Text,
} from '../../lib/wire.ts'

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

/** The types of the tools the server brings with it. */
export const BUILTIN_TYPES = TOOL_TYPES.filter((type) => type.startsWith('svc_'))

export const SOURCE_TYPES = ['python', 'typescript', 'json'] as const

/** A package a tool needs, and its version (semantic versioning). */
export const Requirement = Closed({ name: Type.String({ minLength: 1 }), version: Optional(Type.String()) })

export const Tool = Shape('Tool', {
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
})
export type Tool = Static<typeof Tool>

export const tools = defineResource<Tool>()(Tool, {
  table: 'tools',
  prefix: 'tool',
  order: 'desc',
  json: ['json_schema', 'args_json_schema', 'metadata_'],
  unlogged: ['search_vector'],
  // The tag of a built-in tool is its type.
  vendorValues: {
    tags: `case when starts_with("tools".tool_type, 'svc_')
      then jsonb_build_array(${renamed('"tools".tool_type', BUILTIN_TYPES)}) else "tools".tags end`,
  },
  conflicts: { tools_name_key: 'A tool with this name already exists.' },
})

const VERSION = '^\\d+(\\.\\d+){0,2}(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$'

/** Packages by the names their registry allows: the names become arguments of an installer. */
export const Requirements = (name: object) =>
  List(
    Strict({
      name: Type.String({ minLength: 1, maxLength: 214, ...name }),
      version: Optional(OrNull(Type.String({ pattern: VERSION, description: 'Such as 1.2.3 or 1.2.3-beta.1.' }))),
    }),
  )

/** PEP 508: a name, and extras in brackets. */
export const PIP_NAME = '^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?(\\[[A-Za-z0-9._-]+(, ?[A-Za-z0-9._-]+)*\\])?$'
export const NPM_NAME = '^(@[A-Za-z0-9~][A-Za-z0-9._~-]*/)?[A-Za-z0-9~][A-Za-z0-9._~-]*$'

const fields = {
  source_code: Text(),
  source_type: OneOf(SOURCE_TYPES, { description: 'Default python.' }),
  json_schema: JsonMap({
    description:
      'The schema that models read: name, description, parameters. Its name is the tool’s name. Derived from the source when ' +
      'absent: from type hints and a Google-style docstring (Python), or from types and JSDoc (TypeScript).',
  }),
  args_json_schema: JsonMap({
    description: 'The parameters of a derived json_schema, where they are not to be read from the source.',
  }),
  description: Text({ description: 'Default: the description of json_schema.' }),
  tags: List(Name()),
  return_char_limit: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Default 50000.' }),
  pip_requirements: Requirements({ pattern: PIP_NAME }),
  npm_requirements: Requirements({ pattern: NPM_NAME }),
  metadata_: JsonMap(),
  default_requires_approval: Type.Boolean(),
  enable_parallel_execution: Type.Boolean(),
}

export const CreateTool = Create(fields, ['source_code'])
export type CreateTool = Static<typeof CreateTool>

export const UpdateTool = Patch(fields, ['source_code', 'json_schema'])
export type UpdateTool = Static<typeof UpdateTool>

export const GenerateSchema = Strict({
  code: Text({ description: 'The source of a tool.' }),
  source_type: Optional(OrNull(OneOf(['python', 'typescript'], { description: 'Default python.' }))),
})
export type GenerateSchema = Static<typeof GenerateSchema>

/** A tool as models read it. */
export const FunctionSchema = Type.Object({
  name: Type.String(),
  description: Type.String(),
  parameters: Type.Object({ type: Type.Literal('object'), properties: JsonMap(), required: Type.Array(Type.String()) }),
})

const call = {
  args: JsonMap({ description: 'The arguments, by the names of the parameters.' }),
  env_vars: Type.Record(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }), Text(), {
    description: 'Environment variables of this call.',
  }),
}

export const RunTool = OrNull(Create({ args: call.args }, []))

export const RunToolAlone = OrNull(Create(call, []))

const { source_code, source_type, json_schema, args_json_schema, pip_requirements, npm_requirements } = fields

export const RunSource = Create(
  {
    ...{ source_code, source_type, json_schema, args_json_schema, pip_requirements, npm_requirements, ...call },
    name: Type.String({
      description: 'The function to call. Default: that of json_schema, or the last of the source.',
    }),
  },
  ['source_code', 'args'],
)
export type RunSource = Static<typeof RunSource>

/** The result of a tool that was run by itself. */
export const ToolExecution = Shape('ToolExecutionResult', {
  status: OneOf(['success', 'error']),
  func_return: Optional(Type.Unknown({ description: 'The return value as JSON; absent for an error.' })),
  stdout: Optional(Type.Array(Type.String())),
  stderr: Optional(Type.Array(Type.String(), { description: 'Of an error, its traceback.' })),
})
export type ToolExecution = Static<typeof ToolExecution>

/** The filters that lists and counts share. */
const filters = {
  name: Optional(Type.String({ description: 'Exactly this name.' })),
  names: Optional(FilterList(Type.String(), { description: 'Exactly one of these names.' })),
  tool_ids: Optional(FilterList(Id('tool'))),
  tool_types: Optional(FilterList(OneOf(TOOL_TYPES))),
  exclude_tool_types: Optional(FilterList(OneOf(TOOL_TYPES))),
  search: Optional(Name({ description: 'Part of the name, in any case.' })),
  return_only_svc_tools: Optional(Type.Boolean({ description: 'Only the tools the server brings with it.' })),
}

export const CountTools = Query({
  ...filters,
  exclude_svc_tools: Optional(Type.Boolean({ description: 'All but the tools the server brings with it.' })),
})
export type ToolFilters = Static<typeof CountTools>

export const ListTools = Query({ ...Page('tool'), ...filters })
export type ListTools = Static<typeof ListTools>

export const SearchTools = Strict({
  query: Optional(
    OrNull(Type.String({ maxLength: 2000, description: 'What to look for. Without it, the newest tools are found.' })),
  ),
  search_mode: Optional(
    OrNull(
      OneOf(['vector', 'fts', 'hybrid'], {
        description:
          'By words (fts), by the vectors of the built-in embedding model (vector), or by both (hybrid, the default).',
      }),
    ),
  ),
  tool_types: Optional(OrNull(FilterList(OneOf(TOOL_TYPES)))),
  tags: Optional(OrNull(FilterList(Type.String(), { description: 'Tools with one of these tags.' }))),
  limit: Optional(
    OrNull(Type.Integer({ minimum: 1, maximum: 100, description: 'How many at most: 1 to 100. Default 50.' })),
  ),
})
export type SearchTools = Static<typeof SearchTools>

export const FoundTool = Closed({
  tool: Ref(Tool),
  embedded_text: Optional(Type.String({ description: 'The text of the tool that the search reads.' })),
  fts_rank: Optional(Type.Integer({ description: 'Place among those found by words, from 1.' })),
  vector_rank: Optional(Type.Integer({ description: 'Place among those found by vectors, from 1.' })),
  combined_score: Type.Number({
    description: 'The sum of 1 / (60 + place) over both rankings (reciprocal rank fusion). 0 without a query.',
  }),
})
export type FoundTool = Static<typeof FoundTool>

export const ToolParams = Params({ tool_id: Id('tool') })

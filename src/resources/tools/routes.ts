import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { createKeyedMutex } from '../../lib/keyed-mutex.ts'
import { Ref } from '../../lib/wire.ts'
import { namedProject } from '../projects/projects.ts'
import { ProjectHeaders } from '../projects/schema.ts'
import { ensureBuiltinTools } from './builtin.ts'
import {
  CountTools,
  CreateTool,
  FoundTool,
  FunctionSchema,
  GenerateSchema,
  ListTools,
  SearchTools,
  Tool,
  ToolParams,
  tools,
  UpdateTool,
} from './schema.ts'
import { searchTools } from './search.ts'
import {
  countTools,
  createTool,
  deleteTool,
  generateSchema,
  listTools,
  type ToolDeps,
  updateTool,
  upsertTool,
} from './tools.ts'
import type { ToolVectors } from './vectors.ts'

const tags = ['tools']
const params = ToolParams
const one = { 200: Ref(Tool) }

/** `/v1/tools` */
export const toolRoutes = (deps: ToolDeps & { toolVectors: ToolVectors }) => async (app: App) => {
  const { reader, holders } = deps
  const inTurn = createKeyedMutex()

  app.get(
    '/',
    {
      schema: {
        operationId: 'list_tools',
        summary: 'List tools, newest first',
        tags,
        headers: ProjectHeaders,
        querystring: ListTools,
        response: { 200: Type.Array(Ref(Tool)) },
      },
    },
    async ({ scope, query, headers }) => listTools(scope, query, await namedProject(scope, headers)),
  )

  app.get(
    '/count',
    {
      schema: {
        operationId: 'count_tools',
        summary: 'Count tools',
        tags,
        headers: ProjectHeaders,
        querystring: CountTools,
        response: { 200: Type.Integer() },
      },
    },
    async ({ scope, query, headers }) => countTools(scope, query, await namedProject(scope, headers)),
  )

  app.post(
    '/',
    {
      schema: {
        operationId: 'create_tool',
        summary: 'Create a tool',
        tags,
        headers: ProjectHeaders,
        body: CreateTool,
        response: one,
      },
    },
    async ({ scope, body, headers }) => createTool(scope, reader, body, await namedProject(scope, headers)),
  )

  app.put(
    '/',
    {
      schema: {
        operationId: 'upsert_tool',
        summary: 'Create the tool of a name, or set what is given on the one there is',
        tags,
        headers: ProjectHeaders,
        body: CreateTool,
        response: one,
      },
    },
    async ({ scope, body, headers }) => upsertTool(scope, deps, inTurn, body, await namedProject(scope, headers)),
  )

  app.post(
    '/search',
    {
      config: { right: 'read' },
      schema: {
        operationId: 'search_tools',
        summary: 'Search tools, the best first',
        tags,
        body: SearchTools,
        response: { 200: Type.Array(FoundTool) },
      },
    },
    ({ scope, body }) => searchTools(scope, deps.toolVectors, body),
  )

  app.post(
    '/add-base-tools',
    {
      schema: {
        operationId: 'add_base_tools',
        summary: 'Add the built-in tools that are missing, and list them all',
        tags,
        response: { 200: Type.Array(Ref(Tool)) },
      },
    },
    ({ scope }) => ensureBuiltinTools(scope),
  )

  app.post(
    '/generate-schema',
    {
      config: { right: 'read' },
      schema: {
        operationId: 'generate_json_schema',
        summary: 'Derive what models are told of a tool from its source, and keep nothing',
        tags,
        body: GenerateSchema,
        response: { 200: FunctionSchema },
      },
    },
    ({ body }) => generateSchema(reader, body),
  )

  app.get(
    '/:tool_id',
    { schema: { operationId: 'retrieve_tool', summary: 'Retrieve a tool', tags, params, response: one } },
    ({ scope, params }) => scope.retrieve(tools, params.tool_id),
  )

  app.patch(
    '/:tool_id',
    {
      schema: { operationId: 'modify_tool', summary: 'Modify a tool', tags, params, body: UpdateTool, response: one },
    },
    ({ scope, params, body }) => updateTool(scope, deps, params.tool_id, body),
  )

  app.delete(
    '/:tool_id',
    {
      schema: {
        operationId: 'delete_tool',
        summary: 'Delete a tool and detach it from its agents',
        tags,
        params,
        response: { 200: Type.Null() },
      },
    },
    async ({ scope, params }) => {
      await deleteTool(scope, holders, params.tool_id)
      return null
    },
  )
}

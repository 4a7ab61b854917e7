import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { createKeyedMutex } from '../../lib/keyed-mutex.ts'
import { Ref } from '../../lib/wire.ts'
import { namedProject } from '../projects/projects.ts'
import { ProjectHeaders } from '../projects/schema.ts'
import { ensureBuiltinTools } from './builtin.ts'
import { generateSchema } from './function-schema.ts'
import { deleteTool, type ToolDeps, updateTool } from './modify.ts'
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
import { countTools, listTools } from './tools.ts'
import { createTool, upsertTool } from './upsert.ts'
import type { ToolVectors } from './vectors.ts'

const headers = ProjectHeaders
const params = ToolParams
const one = { 200: Ref(Tool) }
const many = { 200: Type.Array(Ref(Tool)) }
const read = { right: 'read' } as const

const operations = operationsOf('tools', {
  list_tools: ['List tools, newest first', { headers, querystring: ListTools, response: many }],
  count_tools: ['Count tools', { headers, querystring: CountTools, response: { 200: Type.Integer() } }],
  create_tool: ['Create a tool', { headers, body: CreateTool, response: one }],
  upsert_tool: ['Create the tool of a name, or change the existing one', { headers, body: CreateTool, response: one }],
  search_tools: ['Search tools, the best first', { body: SearchTools, response: { 200: Type.Array(FoundTool) } }, read],
  add_base_tools: ['Add the built-in tools that are missing, and list them all', { response: many }],
  generate_json_schema: [
    'Derive the schema of a tool from its source, and store nothing',
    { body: GenerateSchema, response: { 200: FunctionSchema } },
    read,
  ],
  retrieve_tool: ['Retrieve a tool', { params, response: one }],
  modify_tool: ['Modify a tool', { params, body: UpdateTool, response: one }],
  delete_tool: ['Delete a tool and detach it from its agents', { params, response: { 200: Type.Null() } }],
})

/** `/v1/tools` */
export const toolRoutes = (deps: ToolDeps & { toolVectors: ToolVectors }) => async (app: App) => {
  const mutex = createKeyedMutex()

  app.get('/', operations.list_tools, async ({ scope, query, headers }) =>
    listTools(scope, query, await namedProject(scope, headers)),
  )

  app.get('/count', operations.count_tools, async ({ scope, query, headers }) =>
    countTools(scope, query, await namedProject(scope, headers)),
  )

  app.post('/', operations.create_tool, async ({ scope, body, headers }) =>
    createTool(scope, deps.reader, body, await namedProject(scope, headers)),
  )

  app.put('/', operations.upsert_tool, async ({ scope, body, headers }) =>
    upsertTool(scope, deps, mutex, body, await namedProject(scope, headers)),
  )

  app.post('/search', operations.search_tools, ({ scope, body }) => searchTools(scope, deps.toolVectors, body))
  app.post('/add-base-tools', operations.add_base_tools, ({ scope }) => ensureBuiltinTools(scope))
  app.post('/generate-schema', operations.generate_json_schema, ({ body }) => generateSchema(deps.reader, body))
  app.get('/:tool_id', operations.retrieve_tool, ({ scope, params }) => scope.retrieve(tools, params.tool_id))

  app.patch('/:tool_id', operations.modify_tool, ({ scope, params, body }) =>
    updateTool(scope, deps, params.tool_id, body),
  )

  app.delete('/:tool_id', operations.delete_tool, async ({ scope, params }) => {
    await deleteTool(scope, deps.holders, params.tool_id)
    return null
  })
}

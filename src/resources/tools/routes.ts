import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { CountTools, CreateTool, ListTools, Tool, ToolParams, tools, UpdateTool } from './schema.ts'
import { countTools, createTool, deleteTool, listTools, updateTool } from './tools.ts'

const tags = ['tools']
const params = ToolParams
const one = { 200: Ref(Tool) }

/** `/v1/tools` */
export async function toolRoutes(app: App) {
  app.get(
    '/',
    {
      schema: {
        operationId: 'list_tools',
        summary: 'List tools, newest first',
        tags,
        querystring: ListTools,
        response: { 200: Type.Array(Ref(Tool)) },
      },
    },
    ({ scope, query }) => listTools(scope, query),
  )

  app.get(
    '/count',
    {
      schema: {
        operationId: 'count_tools',
        summary: 'Count tools',
        tags,
        querystring: CountTools,
        response: { 200: Type.Integer() },
      },
    },
    ({ scope, query }) => countTools(scope, query),
  )

  app.post(
    '/',
    { schema: { operationId: 'create_tool', summary: 'Create a tool', tags, body: CreateTool, response: one } },
    ({ scope, body }) => createTool(scope, body),
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
    ({ scope, params, body }) => updateTool(scope, params.tool_id, body),
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
      await deleteTool(scope, params.tool_id)
      return null
    },
  )
}

import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { type ToolDeps, updateTool } from './modify.ts'
import { deleteTool } from './remove.ts'
import { Tool, ToolParams, tools, UpdateTool } from './schema.ts'

const tags = ['tools']
const params = ToolParams
const one = { 200: Ref(Tool) }

/** `/v1/tools/{tool_id}` */
export const toolItemRoutes = (deps: ToolDeps) => async (app: App) => {
  app.get(
    '/:tool_id',
    { schema: { operationId: 'retrieve_tool', summary: 'Retrieve a tool', tags, params, response: one } },
    ({ scope, params }) => scope.retrieve(tools, params.tool_id),
  )

  app.patch(
    '/:tool_id',
    { schema: { operationId: 'modify_tool', summary: 'Modify a tool', tags, params, body: UpdateTool, response: one } },
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
      await deleteTool(scope, deps.holders, params.tool_id)
      return null
    },
  )
}

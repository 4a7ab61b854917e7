import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { type ToolDeps, updateTool } from './modify.ts'
import { deleteTool } from './remove.ts'
import { Tool, ToolParams, tools, UpdateTool } from './schema.ts'

const operation = operationsOf('tools')
const params = ToolParams
const one = { 200: Ref(Tool) }

/** `/v1/tools/{tool_id}` */
export const toolItemRoutes = (deps: ToolDeps) => async (app: App) => {
  app.get('/:tool_id', operation('retrieve_tool', 'Retrieve a tool', { params, response: one }), ({ scope, params }) =>
    scope.retrieve(tools, params.tool_id),
  )

  app.patch(
    '/:tool_id',
    operation('modify_tool', 'Modify a tool', { params, body: UpdateTool, response: one }),
    ({ scope, params, body }) => updateTool(scope, deps, params.tool_id, body),
  )

  app.delete(
    '/:tool_id',
    operation('delete_tool', 'Delete a tool and detach it from its agents', { params, response: { 200: Type.Null() } }),
    async ({ scope, params }) => {
      await deleteTool(scope, deps.holders, params.tool_id)
      return null
    },
  )
}

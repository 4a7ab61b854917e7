import { Type } from 'typebox'
import { operationsOf } from '../../../http/operation.ts'
import type { App } from '../../../http/server.ts'
import { invalid } from '../../../lib/errors.ts'
import { Ref } from '../../../lib/wire.ts'
import { Tool } from '../../tools/schema.ts'
import { Attached, attachedTo } from '../attachments/routes.ts'
import { AgentParams } from '../schema.ts'
import { AgentToolNameParams, AgentToolParams, ApprovalBody, ApprovalQuery, ListAgentTools } from './schema.ts'
import { attachTool, detachTool, listAgentTools, setApproval } from './tools.ts'

const response = Attached

const operations = operationsOf('agents', {
  list_tools_of_agent: [
    'List the tools of an agent, newest first',
    { params: AgentParams, querystring: ListAgentTools, response: { 200: Type.Array(Ref(Tool)) } },
    { clientAccess: { right: 'read_agent' } },
  ],
  attach_tool_to_agent: ['Attach a tool to an agent', { params: AgentToolParams, response }],
  detach_tool_from_agent: ['Detach a tool from an agent', { params: AgentToolParams, response }],
  modify_approval_for_tool: [
    'Say whether an agent’s calls of a tool need approval',
    { params: AgentToolNameParams, querystring: ApprovalQuery, body: ApprovalBody, response },
  ],
})

/** The tools of an agent, under `/v1/agents`. */
export async function agentToolRoutes(app: App) {
  app.get('/:agent_id/tools', operations.list_tools_of_agent, ({ scope, params, query }) =>
    listAgentTools(scope, params.agent_id, query),
  )

  app.patch('/:agent_id/tools/attach/:tool_id', operations.attach_tool_to_agent, async (request) => {
    const { scope, params } = request
    await attachTool(scope, params.agent_id, params.tool_id)
    return attachedTo(request, params.agent_id)
  })

  app.patch('/:agent_id/tools/detach/:tool_id', operations.detach_tool_from_agent, async (request) => {
    const { scope, params } = request
    await detachTool(scope, params.agent_id, params.tool_id)
    return attachedTo(request, params.agent_id)
  })

  app.patch('/:agent_id/tools/approval/:tool_name', operations.modify_approval_for_tool, async (request) => {
    const { scope, params, query, body } = request
    const wanted = body?.requires_approval ?? body?.body_requires_approval ?? query.requires_approval
    if (wanted === undefined) {
      throw invalid({ in: 'body', field: 'requires_approval', message: 'is required, here or in the query' })
    }
    await setApproval(scope, params.agent_id, params.tool_name, wanted)
    return attachedTo(request, params.agent_id)
  })
}

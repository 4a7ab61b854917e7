import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import { callerGone, EventStream } from '../../http/sse.ts'
import { newId } from '../../lib/ids.ts'
import { NoContent, Ref } from '../../lib/wire.ts'
import { secretsOf } from '../agents/secrets.ts'
import { Tool, ToolExecution } from '../tools/schema.ts'
import { callTool, listTools, type McpDeps } from './call.ts'
import { callbackUrl } from './callback-url.ts'
import { checkConfig } from './config.ts'
import { connectTo } from './connect.ts'
import {
  createServer,
  deleteServer,
  listNewServer,
  listServers,
  listServerTools,
  modifyServer,
  refreshServer,
  retrieveServer,
  retrieveServerTool,
} from './mcp-servers.ts'
import {
  ConnectEvent,
  CreateMcpServer,
  McpServer,
  McpServerParams,
  McpToolParams,
  Refreshed,
  RefreshQuery,
  RunMcpTool,
  UpdateMcpServer,
} from './schema.ts'

const params = McpServerParams
const one = { 200: Ref(McpServer) }
const config = { callsUpstream: true }

const operations = operationsOf('MCP servers', {
  list_mcp_servers: ['List MCP servers, newest first', { response: { 200: Type.Array(Ref(McpServer)) } }],
  create_mcp_server: ['Create an MCP server with its tools', { body: CreateMcpServer, response: one }, config],
  retrieve_mcp_server: ['Retrieve an MCP server', { params, response: one }],
  modify_mcp_server: ['Modify an MCP server', { params, body: UpdateMcpServer, response: one }, config],
  delete_mcp_server: ['Delete an MCP server and its tools', { params, response: { 204: NoContent } }],
  list_tools_of_mcp_server: [
    'List the tools of an MCP server, in its order',
    { params, response: { 200: Type.Array(Ref(Tool)) } },
  ],
  retrieve_tool_of_mcp_server: [
    'Retrieve a tool of an MCP server',
    { params: McpToolParams, response: { 200: Ref(Tool) } },
  ],
  run_tool_of_mcp_server: [
    'Run a tool of an MCP server',
    { params: McpToolParams, body: RunMcpTool, response: { 200: Ref(ToolExecution) } },
    { ...config, idempotency: 'claimed' },
  ],
  refresh_mcp_server: [
    'List the tools of an MCP server anew',
    { params, querystring: RefreshQuery, response: { 200: Refreshed } },
    config,
  ],
  connect_mcp_server: [
    'Connect to an MCP server, and let a user authorize it where it wants that',
    { params, response: { 200: EventStream(Ref(ConnectEvent)) } },
    { right: 'write', callsUpstream: true },
  ],
})

/** `/v1/mcp-servers` */
export const mcpServerRoutes = (deps: McpDeps) => async (app: App) => {
  app.get('/', operations.list_mcp_servers, ({ scope }) => listServers(scope))

  app.post(
    '/',
    prepared({
      ...operations.create_mcp_server,
      async prepare({ scope, body }) {
        await checkConfig(deps.egress, body.config, true)
        const id = newId('mcp_server')
        return { id, listing: await listNewServer(scope, deps, id, body) }
      },
      handle: ({ scope, body }, { id, listing }) => createServer(scope, id, body, listing),
    }),
  )

  app.get('/:mcp_server_id', operations.retrieve_mcp_server, ({ scope, params }) =>
    retrieveServer(scope, params.mcp_server_id),
  )

  app.patch(
    '/:mcp_server_id',
    prepared({
      ...operations.modify_mcp_server,
      prepare: async ({ body }) => body.config && checkConfig(deps.egress, body.config, false),
      handle: ({ scope, params, body }) => modifyServer(scope, params.mcp_server_id, body),
    }),
  )

  app.delete('/:mcp_server_id', operations.delete_mcp_server, ({ scope, params }) =>
    deleteServer(scope, deps, params.mcp_server_id),
  )

  app.get('/connect/:mcp_server_id', operations.connect_mcp_server, (request, reply) =>
    connectTo(request.scope, deps, request.params.mcp_server_id, callbackUrl(request), callerGone(reply)),
  )

  app.patch(
    '/:mcp_server_id/refresh',
    prepared({
      ...operations.refresh_mcp_server,
      async prepare({ scope, params, query: { agent_id: agentId } }) {
        if (agentId !== undefined) await scope.exists('agents', agentId)
        const environment = agentId === undefined ? {} : await secretsOf(scope, agentId)
        return listTools(scope, deps, params.mcp_server_id, { agentId, environment })
      },
      handle: ({ scope, params }, listing) => refreshServer(scope, params.mcp_server_id, listing),
    }),
  )
}

/** `/v1/mcp-servers/{mcp_server_id}/tools` */
export const mcpToolRoutes = (deps: McpDeps) => async (app: App) => {
  app.get('/:mcp_server_id/tools', operations.list_tools_of_mcp_server, ({ scope, params }) =>
    listServerTools(scope, params.mcp_server_id),
  )

  app.get('/:mcp_server_id/tools/:tool_id', operations.retrieve_tool_of_mcp_server, ({ scope, params }) =>
    retrieveServerTool(scope, params.mcp_server_id, params.tool_id),
  )

  app.post(
    '/:mcp_server_id/tools/:tool_id/run',
    prepared({
      ...operations.run_tool_of_mcp_server,
      async prepare({ scope, params: { mcp_server_id: serverId, tool_id: toolId }, body }) {
        const { status, text } = await callTool(scope, deps, { serverId, toolId, args: body?.args ?? {} })
        return { status, func_return: text }
      },
      handle: async (_, result) => result,
    }),
  )
}

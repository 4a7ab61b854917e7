import { Type } from 'typebox'
import { operationsOf } from '../../../http/operation.ts'
import { prepared } from '../../../http/prepared.ts'
import type { App } from '../../../http/server.ts'
import { callerGone, EventStream } from '../../../http/sse.ts'
import { newId } from '../../../lib/ids.ts'
import { Closed, OneOf, Ref } from '../../../lib/wire.ts'
import { McpError } from '../../../mcp/mcp-error.ts'
import { secretsOf } from '../../agents/secrets.ts'
import { Tool } from '../../tools/schema.ts'
import { listTools, type McpDeps, unusable } from '../call.ts'
import { callbackUrl } from '../callback-url.ts'
import { checkConfig } from '../config.ts'
import { connectTo } from '../connect.ts'
import { deleteServer, listNewServer, refreshServer } from '../mcp-servers.ts'
import { ConnectEvent, Refreshed, RunMcpTool } from '../schema.ts'
import {
  bodyOf,
  changesOf,
  executeNamed,
  listNamed,
  modifyNamed,
  prepareNamed,
  putNamed,
  retrieveNamedTool,
  serverNamed,
  toolsNamed,
  withHealth,
} from './by-name.ts'
import {
  ExecuteParams,
  ListedTool,
  NamedServer,
  NamedServerBody,
  NamedServerParams,
  NamedToolParams,
  ResyncQuery,
  UpdateNamedServer,
} from './schema.ts'

const params = NamedServerParams
const body = NamedServerBody
const deprecated = true
const config = { callsUpstream: true }
const list = { 200: Type.Array(Ref(NamedServer)) }
const tested = Closed({ status: OneOf(['success']), tools: Type.Array(Ref(ListedTool)) })
const executed = Closed({ result: Type.String(), success: Type.Boolean() })

const operations = operationsOf('MCP servers', {
  list_named_mcp_servers: [
    'List MCP servers by their names (deprecated)',
    { deprecated, response: { 200: Type.Record(Type.String(), Ref(NamedServer)) } },
  ],
  put_named_mcp_server: ['Create or change an MCP server (deprecated)', { deprecated, body, response: list }, config],
  modify_named_mcp_server: [
    'Modify an MCP server by its name (deprecated)',
    { deprecated, params, body: UpdateNamedServer, response: { 200: Ref(NamedServer) } },
    config,
  ],
  delete_named_mcp_server: ['Delete an MCP server by its name (deprecated)', { deprecated, params, response: list }],
  list_tools_of_named_mcp_server: [
    'List the tools of an MCP server, as it defines them (deprecated)',
    { deprecated, params, response: { 200: Type.Array(Ref(ListedTool)) } },
  ],
  resync_named_mcp_server: [
    'List the tools of an MCP server anew (deprecated)',
    { deprecated, params, querystring: ResyncQuery, response: { 200: Refreshed } },
    config,
  ],
  add_tool_of_named_mcp_server: [
    'Retrieve a tool of an MCP server by its name there (deprecated)',
    { deprecated, params: NamedToolParams, response: { 200: Ref(Tool) } },
  ],
  execute_tool_of_named_mcp_server: [
    'Run a tool of an MCP server by its name there (deprecated)',
    { deprecated, params: ExecuteParams, body: RunMcpTool, response: { 200: executed } },
    { ...config, idempotency: 'claimed' },
  ],
  test_named_mcp_server: [
    'List the tools of an MCP server that is not stored (deprecated)',
    { deprecated, body, response: { 200: tested } },
    config,
  ],
  connect_named_mcp_server: [
    'Create or change an MCP server, and connect to it as the route by its id does (deprecated)',
    { deprecated, body, response: { 200: EventStream(Ref(ConnectEvent)) } },
    { idempotency: 'row', callsUpstream: true },
  ],
})

/** `/v1/tools/mcp/servers`: MCP servers by their names, for older clients. */
export const namedServerRoutes = (deps: McpDeps) => async (app: App) => {
  app.get('/', operations.list_named_mcp_servers, async ({ scope }) =>
    Object.fromEntries((await listNamed(scope)).map((server) => [server.server_name, server])),
  )

  app.put(
    '/',
    prepared({
      ...operations.put_named_mcp_server,
      async prepare({ scope, body }) {
        await checkConfig(deps.egress, bodyOf(body).config, true)
        return prepareNamed(scope, deps, body)
      },
      async handle({ scope, body }, { id, listing }) {
        await putNamed(scope, body, id, listing)
        return listNamed(scope)
      },
    }),
  )

  app.patch(
    '/:mcp_server_name',
    prepared({
      ...operations.modify_named_mcp_server,
      prepare: ({ body }) => checkConfig(deps.egress, changesOf(body), false),
      handle: ({ scope, params, body }) => modifyNamed(scope, params.mcp_server_name, body),
    }),
  )

  app.delete('/:mcp_server_name', operations.delete_named_mcp_server, async ({ scope, params }) => {
    await deleteServer(scope, deps, (await serverNamed(scope, params.mcp_server_name)).id)
    return listNamed(scope)
  })

  app.post(
    '/test',
    prepared({
      ...operations.test_named_mcp_server,
      async prepare({ scope, body }) {
        await checkConfig(deps.egress, bodyOf(body).config, true)
        return listNewServer(scope, deps, newId('mcp_server'), bodyOf(body))
      },
      async handle({ body }, { tools, error }) {
        if (!tools) throw unusable(body.server_name, new McpError('unreachable', error!))
        return { status: 'success' as const, tools: tools.map(withHealth) }
      },
    }),
  )

  app.post('/connect', operations.connect_named_mcp_server, async (request, reply) => {
    const { scope, body } = request
    await checkConfig(deps.egress, bodyOf(body).config, true)
    const id = await putNamed(scope, body, newId('mcp_server'), {})
    return connectTo(scope, deps, id, callbackUrl(request), callerGone(reply))
  })
}

/** `/v1/tools/mcp/servers/{mcp_server_name}`: the tools of a server, for older clients. */
export const namedToolRoutes = (deps: McpDeps) => async (app: App) => {
  app.get('/:mcp_server_name/tools', operations.list_tools_of_named_mcp_server, async ({ scope, params }) =>
    (await toolsNamed(scope, params.mcp_server_name)).map(({ definition }) => withHealth(definition)),
  )

  app.post('/:mcp_server_name/:mcp_tool_name', operations.add_tool_of_named_mcp_server, ({ scope, params }) =>
    retrieveNamedTool(scope, params.mcp_server_name, params.mcp_tool_name),
  )

  app.post(
    '/:mcp_server_name/tools/:tool_name/execute',
    prepared({
      ...operations.execute_tool_of_named_mcp_server,
      prepare: ({ scope, params, body }) =>
        executeNamed(scope, deps, params.mcp_server_name, params.tool_name, body?.args ?? {}),
      handle: async (_, result) => result,
    }),
  )

  app.post(
    '/:mcp_server_name/resync',
    prepared({
      ...operations.resync_named_mcp_server,
      async prepare({ scope, params, query: { agent_id: agentId } }) {
        const { id } = await serverNamed(scope, params.mcp_server_name)
        if (agentId !== undefined) await scope.exists('agents', agentId)
        const environment = agentId === undefined ? {} : await secretsOf(scope, agentId)
        return { id, listing: await listTools(scope, deps, id, { agentId, environment }) }
      },
      handle: ({ scope }, { id, listing }) => refreshServer(scope, id, listing),
    }),
  )
}

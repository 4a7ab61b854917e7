import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import {
  Closed,
  Create,
  Id,
  Instant,
  JsonMap,
  List,
  OneOf,
  OrNull,
  Params,
  Patch,
  Query,
  Shape,
  Strict,
} from '../../lib/wire.ts'

const { Optional } = Type

export const SERVER_TYPES = ['streamable_http', 'sse', 'stdio'] as const

/** The MCP servers of one organization at most. */
export const MAX_SERVERS = 200

const stored = {
  id: Id('mcp_server'),
  server_name: Type.String(),
  mcp_server_type: OneOf(SERVER_TYPES),
  server_url: Optional(Type.String()),
  auth_header: Optional(Type.String({ description: 'The header that has the token.' })),
  command: Optional(Type.String({ description: 'Of a server of the type stdio.' })),
  args: Optional(Type.Array(Type.String())),
  last_synced: Optional(Instant({ description: 'When its tools were listed last.' })),
  sync_error: Optional(Type.String({ description: 'Why they could not be listed since.' })),
  created_at: Instant(),
  updated_at: Instant(),
  created_by_id: Optional(Type.String()),
  last_updated_by_id: Optional(Type.String()),
}

export const McpServer = Shape('McpServer', {
  ...stored,
  auth_token: Optional(Type.String({ description: 'Empty for a key without the scope "secrets".' })),
  custom_headers: Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Values are empty for a key without that scope.' }),
  ),
})
export type McpServer = Static<typeof McpServer>

const Row = Type.Object({ ...stored, secrets_enc: Optional(Type.String()) })

/** A server as the database stores it: its secrets are encrypted. */
export type StoredServer = Static<typeof Row>

export const mcpServers = defineResource<StoredServer>()(Row, {
  table: 'mcp_servers',
  prefix: 'mcp_server',
  order: 'desc',
  json: ['args'],
  unlogged: ['secrets_enc'],
  conflicts: { mcp_servers_name_key: 'An MCP server with this name already exists.' },
})

const TEMPLATES = 'May have templates such as {{ NAME | default }}, for the secrets of the agent that calls a tool.'

/** How a server is reached. */
export const connectionFields = {
  server_url: Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
  auth_header: Optional(Type.String({ maxLength: 200, description: 'Default: Authorization.' })),
  auth_token: Optional(Type.String({ maxLength: 20_000, description: `Encrypted at rest. ${TEMPLATES}` })),
  custom_headers: Optional(
    Type.Record(Type.String({ maxLength: 200 }), Type.String({ maxLength: 20_000 }), {
      maxProperties: 50,
      description: `Values are encrypted at rest. ${TEMPLATES}`,
    }),
  ),
  command: Optional(Type.String({ maxLength: 2_000, description: 'Of a server that the settings of this one name.' })),
  args: Optional(List(Type.String({ maxLength: 2_000 }), { maxItems: 100 })),
  env: Optional(Type.Record(Type.String(), Type.String())),
}

export const ServerType = Optional(OneOf(SERVER_TYPES, { description: 'Default: streamable_http.' }))

/** How a server is reached, by its type. */
export const McpServerConfig = Strict({ mcp_server_type: ServerType, ...connectionFields })
export type McpServerConfig = Static<typeof McpServerConfig>

export const ServerName = Type.String({ pattern: '^[^\\x00-\\x1f\\x7f]{1,255}$', title: '1 to 255 characters' })

export const CreateMcpServer = Create({ server_name: ServerName, config: McpServerConfig }, ['server_name', 'config'])
export type CreateMcpServer = Static<typeof CreateMcpServer>

export const UpdateMcpServer = Patch({ server_name: ServerName, config: McpServerConfig }, ['server_name', 'config'])
export type UpdateMcpServer = Static<typeof UpdateMcpServer>

export const RunMcpTool = Strict({ args: Optional(OrNull(JsonMap())) })

export const RefreshQuery = Query({
  agent_id: Optional({ ...Id('agent'), description: 'The agent whose secrets fill the templates.' }),
})

const names = Type.Array(Type.String())

/** The names of tools that a refresh has changed. */
export const Refreshed = Closed({ deleted: names, updated: names, added: names })
export type Refreshed = Static<typeof Refreshed>

export const McpServerParams = Params({ mcp_server_id: Id('mcp_server') })
export const McpToolParams = Params({ mcp_server_id: Id('mcp_server'), tool_id: Id('tool') })

/** What happens while a server is connected to. */
export const ConnectEvent = Shape('McpConnectEvent', {
  event: OneOf(['connection_attempt', 'oauth_required', 'authorization_url', 'waiting_for_auth', 'success', 'error']),
  server_name: Optional(Type.String()),
  message: Optional(Type.String()),
  url: Optional(Type.String({ description: 'Where a user lets this server in.' })),
  session_id: Optional(Type.String()),
  tools: Optional(Type.Array(JsonMap(), { description: 'The tools of the server, as it defines them.' })),
})
export type ConnectEvent = Static<typeof ConnectEvent>

export const CallbackQuery = Query({
  code: Optional(Type.String({ maxLength: 10_000 })),
  state: Optional(Type.String({ maxLength: 500 })),
  iss: Optional(Type.String({ maxLength: 2_000 })),
  error: Optional(Type.String({ maxLength: 2_000 })),
  error_description: Optional(Type.String({ maxLength: 10_000 })),
})
export type CallbackQuery = Static<typeof CallbackQuery>

export const CallbackResult = Closed({
  status: OneOf(['success']),
  message: Type.String(),
  server_url: Type.String(),
})

import { type Static, Type } from 'typebox'
import { Closed, Id, JsonMap, OneOf, Params, Query, Shape, Strict } from '../../../lib/wire.ts'
import { connectionFields, McpServer, SERVER_TYPES, ServerName, ServerType } from '../schema.ts'

const { Optional } = Type
const { server_url, auth_header, auth_token, custom_headers } = connectionFields

/** A server under its name, as older clients read it. */
export const NamedServer = Shape('NamedMcpServer', {
  server_name: Type.String(),
  type: OneOf(SERVER_TYPES),
  ...Type.Pick(McpServer, ['server_url', 'auth_header', 'auth_token', 'custom_headers', 'command', 'args']).properties,
})
export type NamedServer = Static<typeof NamedServer>

export const NamedServerBody = Strict({ server_name: ServerName, type: ServerType, ...connectionFields })
export type NamedServerBody = Static<typeof NamedServerBody>

export const UpdateNamedServer = Strict({
  server_name: Optional(ServerName),
  ...{ server_url, auth_header, auth_token, custom_headers },
  token: auth_token,
  stdio_config: Optional(JsonMap({ description: 'Refused: only the operator of the server changes a program.' })),
})
export type UpdateNamedServer = Static<typeof UpdateNamedServer>

/** A tool as its server defines it, and how well models can be held to its schema. */
export const ListedTool = Shape('McpTool', {
  name: Type.String(),
  title: Optional(Type.String()),
  description: Optional(Type.String()),
  inputSchema: JsonMap(),
  outputSchema: Optional(JsonMap()),
  annotations: Optional(JsonMap()),
  health: Closed({ status: Type.String(), reasons: Type.Array(Type.String()) }),
})
export type ListedTool = Static<typeof ListedTool>

const mcp_server_name = Type.String({ maxLength: 255 })

export const NamedServerParams = Params({ mcp_server_name })
export const NamedToolParams = Params({ mcp_server_name, mcp_tool_name: Type.String({ maxLength: 500 }) })
export const ExecuteParams = Params({ mcp_server_name, tool_name: Type.String({ maxLength: 500 }) })

export const ResyncQuery = Query({ agent_id: Optional(Id('agent')) })

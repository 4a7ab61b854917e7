import { sql } from 'kysely'
import type { Scope } from '../../../db/scope.ts'
import { ApiError } from '../../../lib/errors.ts'
import { newId } from '../../../lib/ids.ts'
import type { McpTool } from '../../../mcp/client.ts'
import { readParameters } from '../../../mcp/tool-schema.ts'
import { tools } from '../../tools/schema.ts'
import { callTool, type Listing, type McpDeps } from '../call.ts'
import { createServer, listNewServer, listServers, modifyServer } from '../mcp-servers.ts'
import { type CreateMcpServer, type McpServer, type McpServerConfig, mcpServers, type StoredServer } from '../schema.ts'
import type { ListedTool, NamedServer, NamedServerBody, UpdateNamedServer } from './schema.ts'

const asNamed = ({ server_name, mcp_server_type: type, ...server }: McpServer): NamedServer => {
  const { server_url, auth_header, auth_token, custom_headers, command, args } = server
  return JSON.parse(
    JSON.stringify({ server_name, type, server_url, auth_header, auth_token, custom_headers, command, args }),
  )
}

/** The body of a server from its older form. */
export const bodyOf = ({ server_name, type, ...config }: NamedServerBody): CreateMcpServer => ({
  server_name,
  config: { ...config, mcp_server_type: type ?? (config.command == null ? 'streamable_http' : 'stdio') },
})

/** A tool of a server with the health of its schema. */
export function withHealth({ name, title, description, inputSchema, outputSchema, annotations }: McpTool): ListedTool {
  const { health } = readParameters(inputSchema)
  const fields = { name, title, description, inputSchema, outputSchema, annotations, health }
  return JSON.parse(JSON.stringify(fields))
}

const missing = (noun: string, name: string) =>
  new ApiError('not_found', `No ${noun} with the name ${JSON.stringify(name)} in this organization.`)

const named = async (scope: Scope, name: string): Promise<StoredServer | undefined> =>
  (await scope.select(mcpServers, (query) => query.where('mcp_servers.server_name', '=', name)))[0]

/** The server with a name. 404. */
export async function serverNamed(scope: Scope, name: string): Promise<StoredServer> {
  const server = await named(scope, name)
  if (!server) throw missing('MCP server', name)
  return server
}

/** The servers of the organization, newest first. */
export const listNamed = async (scope: Scope): Promise<NamedServer[]> => (await listServers(scope)).map(asNamed)

/** What `putNamed` needs besides the database: the id of a new server, and its tools. */
export async function prepareNamed(scope: Scope, deps: McpDeps, body: NamedServerBody) {
  const id = newId('mcp_server')
  if (await named(scope, body.server_name)) return { id, listing: {} }
  return { id, listing: await listNewServer(scope, deps, id, bodyOf(body)) }
}

/** Makes the server with the name of the body, or changes it. 403, 409, 422. Returns its id. */
export async function putNamed(scope: Scope, body: NamedServerBody, id: string, listing: Listing): Promise<string> {
  const { config } = bodyOf(body)
  const before = await named(scope, body.server_name)
  const { id: stored } = before
    ? await modifyServer(scope, before.id, { config })
    : await createServer(scope, id, bodyOf(body), listing)
  return stored
}

/** The changes of a configuration from their older form. */
export function changesOf({ server_name: _, token, stdio_config, ...changes }: UpdateNamedServer): McpServerConfig {
  return {
    ...(token !== undefined && { auth_token: token }),
    ...(stdio_config && { mcp_server_type: 'stdio' as const }),
    ...changes,
  }
}

/** Changes the server with a name. 403, 404, 409, 422. */
export async function modifyNamed(scope: Scope, name: string, body: UpdateNamedServer): Promise<NamedServer> {
  const { id } = await serverNamed(scope, name)
  const { server_name } = body
  return asNamed(await modifyServer(scope, id, { ...(server_name && { server_name }), config: changesOf(body) }))
}

interface Row {
  tool_id: string
  definition: McpTool
}

/** The tools of the server with a name, as the server defines them. 404. */
export async function toolsNamed(scope: Scope, name: string): Promise<Row[]> {
  const { id } = await serverNamed(scope, name)
  return scope.read(sql<Row>`select tool_id, definition from mcp_tools
    where organization_id = ${scope.organizationId} and mcp_server_id = ${id} order by tool_id`)
}

/** The id of a tool by its name at its server. 404. */
async function toolIdOf(scope: Scope, name: string, tool: string): Promise<string> {
  const row = (await toolsNamed(scope, name)).find(({ definition }) => definition.name === tool)
  if (!row) throw missing(`tool of the MCP server ${JSON.stringify(name)}`, tool)
  return row.tool_id
}

/** The tool here that stands for a tool of a server. 404. */
export const retrieveNamedTool = async (scope: Scope, name: string, tool: string) =>
  scope.retrieve(tools, await toolIdOf(scope, name, tool))

/** Calls a tool by its name at its server: see `callTool`. */
export async function executeNamed(
  scope: Scope,
  deps: McpDeps,
  name: string,
  tool: string,
  args: Record<string, unknown>,
) {
  const { status, text } = await callTool(scope, deps, { toolId: await toolIdOf(scope, name, tool), args })
  return { result: text, success: status === 'success' }
}

import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import type { Egress } from '../../lib/egress.ts'
import { ApiError, type ErrorCode, notFound } from '../../lib/errors.ts'
import type { KeyedMutex } from '../../lib/keyed-mutex.ts'
import type { McpClient, McpTool } from '../../mcp/client.ts'
import type { McpServerAddress } from '../../mcp/connect.ts'
import { McpError } from '../../mcp/mcp-error.ts'
import { storedTokens } from '../../mcp/oauth.ts'
import type { Programs } from '../../mcp/programs.ts'
import type { McpResult } from '../../mcp/read-result.ts'
import { addressOf, type McpCaller } from './address.ts'
import { authorizationOf, authorizationStore } from './authorizations.ts'
import { mcpServers, type StoredServer } from './schema.ts'

/** What calls of MCP servers need besides the database. */
export interface McpDeps {
  mcp: McpClient
  programs: Programs
  egress: Egress
  /** Lets one call renew the tokens of a server. */
  mutex: KeyedMutex
}

/** The tools that a server lists, or the reason why they can't be listed. */
export interface Listing {
  tools?: McpTool[]
  error?: string
}

/** The error for a server that can't be used: 502, or 504 for a tool that takes too long. Throws any other error. */
export function unusable(serverName: string, error: unknown, lettaCode: ErrorCode = 'bad_gateway'): ApiError {
  const name = JSON.stringify(serverName)
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    const message = `The MCP server ${name} takes more than a minute for the call.`
    // The call may have had its effect: nobody repeats it by itself.
    return new ApiError('gateway_timeout', message, { headers: { 'x-should-retry': 'false' } })
  }
  if (!(error instanceof McpError)) throw error
  const message = `The MCP server ${name} can't be used: ${error.message}.`
  return new ApiError('bad_gateway', message, {
    lettaCode,
    vendorFields: { detail: { code: 'MCPServerUnavailable', message, error: error.message } },
    cause: error,
  })
}

/** The address of a server with its tokens, if a user has authorized this server there. */
async function reach(scope: Scope, { egress, mutex }: McpDeps, server: StoredServer, caller: McpCaller) {
  const address = addressOf(scope, server, caller)
  const data = (await authorizationOf(scope, server.id))?.data
  if (!data?.tokens) return address
  const auth = storedTokens(authorizationStore(scope, server.id), data, {
    fetch: egress.fetch,
    mutex,
    key: address.key,
  })
  return { ...address, auth }
}

/** Lists the tools at an address. */
export async function listAt(mcp: McpClient, address: McpServerAddress, signal?: AbortSignal): Promise<Listing> {
  try {
    return { tools: await mcp.listTools(address, signal) }
  } catch (error) {
    if (!(error instanceof McpError)) throw error
    return { error: error.message }
  }
}

/** Lists the tools of a server. 404 for a server that the organization doesn't have; 502 where it can't be used. */
export async function listTools(scope: Scope, deps: McpDeps, id: string, caller: McpCaller): Promise<Listing> {
  const server = await scope.get(mcpServers, id)
  try {
    return { tools: await deps.mcp.listTools(await reach(scope, deps, server, caller)) }
  } catch (error) {
    const refused = unusable(server.server_name, error, 'not_found')
    await scope.query(sql`update mcp_servers set sync_error = ${(error as Error).message}
      where organization_id = ${scope.organizationId} and id = ${id} returning id`)
    throw refused
  }
}

/** The call of a tool. */
export interface ToolCall {
  toolId: string
  /** The server of the tool; absent: whichever it has. */
  serverId?: string | undefined
  args: Record<string, unknown>
}

/**
 * Calls the tool of an MCP server. 404 for a tool that belongs to none; 502 for a server that can't be used, 504 for one that
 * takes more than a minute. The reason of the signal where that is aborted.
 */
export async function callTool(
  scope: Scope,
  deps: McpDeps,
  { toolId, serverId, args }: ToolCall,
  caller: McpCaller = {},
  signal?: AbortSignal,
): Promise<McpResult> {
  const [mapping] = await scope.read(sql<{ mcp_server_id: string; definition: McpTool }>`
    select mcp_server_id, definition from mcp_tools
    where organization_id = ${scope.organizationId} and tool_id = ${toolId}`)
  if (!mapping || (serverId !== undefined && mapping.mcp_server_id !== serverId)) {
    throw notFound('tool of an MCP server', toolId)
  }
  const server = await scope.get(mcpServers, mapping.mcp_server_id)
  try {
    return await deps.mcp.callTool(await reach(scope, deps, server, caller), mapping.definition, args, signal)
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    throw unusable(server.server_name, error)
  }
}

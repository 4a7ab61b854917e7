import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { conflict, notFound } from '../../lib/errors.ts'
import { MAX_TOOLS } from '../../mcp/client.ts'
import { tools } from '../tools/schema.ts'
import { addressOf } from './address.ts'
import { type Listing, listAt, type McpDeps } from './call.ts'
import { checkMove, columnsOf, ownedByOperator } from './config.ts'
import {
  type CreateMcpServer,
  MAX_SERVERS,
  type McpServer,
  mcpServers,
  type Refreshed,
  type StoredServer,
  type UpdateMcpServer,
} from './schema.ts'
import { withSecrets } from './secrets.ts'
import { deleteTools, ofMcpServer, renameTools, storeTools } from './tools.ts'

/** The MCP servers of the organization, newest first. */
export async function listServers(scope: Scope): Promise<McpServer[]> {
  const rows = await scope.select(mcpServers, (query) =>
    query.orderBy('mcp_servers.created_at', 'desc').orderBy('mcp_servers.id', 'desc'),
  )
  return rows.map((row) => withSecrets(scope, row))
}

/** An MCP server. 404. */
export const retrieveServer = async (scope: Scope, id: string): Promise<McpServer> =>
  withSecrets(scope, await scope.get(mcpServers, id))

/** Stores the outcome of a listing, inside the scope's transaction. */
async function storeListing(
  tx: Scope,
  server: { id: string; server_name: string },
  listing: Listing,
): Promise<Refreshed> {
  const nothing = { deleted: [], updated: [], added: [] }
  const refreshed = listing.tools ? await storeTools(tx, server, listing.tools) : nothing
  await tx.query(sql`
    update mcp_servers set sync_error = ${listing.error ?? null},
      last_synced = coalesce(${listing.tools ? new Date().toISOString() : null}::timestamptz, last_synced)
    where organization_id = ${tx.organizationId} and id = ${server.id} returning id`)
  return refreshed
}

/**
 * Makes an MCP server with the tools that it lists; without them where it can't be reached, whose reason is its `sync_error`. 409
 * for a name that is taken, and beyond 200 servers.
 */
export const createServer = (
  scope: Scope,
  id: string,
  { server_name, config }: CreateMcpServer,
  listing: Listing,
): Promise<McpServer> =>
  scope.transaction(async (tx) => {
    if ((await tx.count(mcpServers)) >= MAX_SERVERS) {
      throw conflict(`An organization has at most ${MAX_SERVERS} MCP servers: delete one first.`)
    }
    const server = await tx.insert(mcpServers, { id, server_name, ...columnsOf(tx, id, config) })
    await storeListing(tx, server, listing)
    return retrieveServer(tx, id)
  })

/** Lists the tools of a server that isn't stored yet. */
export async function listNewServer(
  scope: Scope,
  { mcp }: McpDeps,
  id: string,
  { server_name, config }: CreateMcpServer,
): Promise<Listing> {
  const columns = columnsOf(scope, id, config)
  const server = { id, server_name, ...columns, created_at: '', updated_at: '' }
  return listAt(mcp, addressOf(scope, server as StoredServer))
}

/** Changes the fields in the body. Its tools follow a new name; a new address lists its tools at the next refresh. 403 for a program, 404, 409, 422. */
export const modifyServer = (scope: Scope, id: string, { server_name, config }: UpdateMcpServer): Promise<McpServer> =>
  scope.locking(mcpServers, id, async (tx) => {
    const before = await tx.get(mcpServers, id)
    if (before.mcp_server_type === 'stdio') throw ownedByOperator(before)
    if (config) checkMove(tx, before, config)
    const columns = config ? columnsOf(tx, id, config, before) : {}
    const server = await tx.update(mcpServers, id, { server_name, ...columns })
    if (server_name !== undefined && server_name !== before.server_name) {
      await renameTools(tx.withoutIfMatch(), before, server_name)
    }
    return withSecrets(tx, server)
  })

/**
 * Deletes an MCP server with its tools, which its agents lose. 404, or 412 with the current ETag; 403 for a program that the
 * settings name.
 */
export const deleteServer = (scope: Scope, { programs }: McpDeps, id: string): Promise<void> =>
  scope.locking(mcpServers, id, async (tx) => {
    const server = await tx.get(mcpServers, id)
    const isNamed = programs.of(tx.organizationId).some(([name]) => name === server.server_name)
    if (server.mcp_server_type === 'stdio' && isNamed) throw ownedByOperator(server)
    await deleteTools(tx.withoutIfMatch(), id)
    await tx.remove(mcpServers, id)
  })

/** Stores the tools that a server lists now. 404. */
export const refreshServer = (scope: Scope, id: string, listing: Listing): Promise<Refreshed> =>
  scope.locking(mcpServers, id, async (tx) => storeListing(tx.withoutIfMatch(), await tx.get(mcpServers, id), listing))

/** The tools of a server, in the order in which the server listed them. 404. */
export async function listServerTools(scope: Scope, id: string) {
  await scope.exists('mcp_servers', id)
  return scope.list(tools, { limit: MAX_TOOLS, order: 'asc' }, (query) => query.where(ofMcpServer(scope, id)))
}

/** A tool of a server. 404, also for a tool of another one. */
export async function retrieveServerTool(scope: Scope, id: string, toolId: string) {
  const [mapped] = await scope.read(sql`select from mcp_tools
    where organization_id = ${scope.organizationId} and mcp_server_id = ${id} and tool_id = ${toolId}`)
  if (!mapped) throw notFound('tool of this MCP server', toolId)
  return scope.retrieve(tools, toolId)
}

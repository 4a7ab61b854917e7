import type { Scope } from '../../db/scope.ts'
import { newId } from '../../lib/ids.ts'
import type { McpProgram } from '../../lib/mcp-programs.ts'
import { addressOf } from './address.ts'
import { listAt, type McpDeps } from './call.ts'
import { refreshServer } from './mcp-servers.ts'
import { mcpServers, type StoredServer } from './schema.ts'

/** The server that stands for a program, made or brought up to date; undefined where another server has the name. */
const storeProgram = (
  scope: Scope,
  name: string,
  { command, args = [] }: McpProgram,
): Promise<StoredServer | undefined> =>
  scope.transaction(async (tx) => {
    const [server] = await tx.select(mcpServers, (query) => query.where('mcp_servers.server_name', '=', name))
    if (!server) {
      const columns = { server_name: name, mcp_server_type: 'stdio' as const, command, args }
      return tx.insert(mcpServers, { id: newId('mcp_server'), ...columns })
    }
    return server.mcp_server_type === 'stdio' ? tx.update(mcpServers, server.id, { command, args }) : undefined
  })

/** Gives the organization the MCP servers that are programs, with their tools. A server of its own that has the name stays. */
export async function syncPrograms(scope: Scope, { mcp, programs }: McpDeps, signal: AbortSignal): Promise<void> {
  for (const [name, program] of programs.of(scope.organizationId)) {
    const server = await storeProgram(scope, name, program)
    if (server) await refreshServer(scope, server.id, await listAt(mcp, addressOf(scope, server), signal))
  }
}

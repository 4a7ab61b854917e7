import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import type { Tool } from '../tools/schema.ts'
import type { AgentFileParts } from './entry-schema.ts'

/** An MCP server whose tools an agent of the file has. */
export interface FiledServer {
  server_name: string
  mcp_server_type: string
  server_url: string | null
}

/** The MCP servers of these tools. */
export const serversOf = (tx: Scope, tools: readonly Tool[]): Promise<FiledServer[]> =>
  tx.query(sql<FiledServer>`
    select server_name, mcp_server_type, server_url from mcp_servers as server
    where organization_id = ${tx.organizationId} and exists (select from mcp_tools as mapping
      where mapping.organization_id = ${tx.organizationId} and mapping.mcp_server_id = server.id
        and mapping.tool_id = any(${tools.map(({ id }) => id)}::text[]))
    order by created_at, id`)

/** A path of plain words, such as `/v1/mcp`: any other one may hold a token, as `/s/Zx81…/mcp` does. */
const PLAIN_PATH = /^(\/([a-z]{1,12}|v\d))*\/?$/

/** An address without the places that may hold secrets. */
function publicAddress(url: string): string {
  const { origin, pathname } = new URL(url)
  return PLAIN_PATH.test(pathname) ? origin + pathname : origin
}

/** A server as a file has it: without headers, environment and tokens. */
export const serverEntry = ({ server_name, mcp_server_type, server_url }: FiledServer, n: number) => ({
  id: `mcp_server-${n}`,
  server_type: mcp_server_type,
  server_name,
  ...(server_url && { server_url: publicAddress(server_url) }),
})

/**
 * Reports the MCP servers of a file that the organization lacks, by their names. A file makes none: it has no secrets, and a file of a
 * stranger would name the address to which an agent sends what it knows.
 */
export async function matchServers(tx: Scope, { mcpServers, warnings }: AgentFileParts): Promise<void> {
  if (mcpServers.length === 0) return
  const rows = await tx.query(sql<{ server_name: string }>`select server_name from mcp_servers
    where organization_id = ${tx.organizationId} and server_name = any(${mcpServers.map(({ name }) => name)}::text[])`)
  const known = new Set(rows.map(({ server_name }) => server_name))
  for (const { at, name } of mcpServers.filter((server) => !known.has(server.name))) {
    const remedy = 'make an MCP server of this name, and import the file again'
    warnings.push(`${at} ${JSON.stringify(name)}: left out, as an agent file brings no secrets: ${remedy}`)
  }
}

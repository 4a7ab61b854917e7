import type { Scope } from '../../db/scope.ts'
import type { McpServerAddress } from '../../mcp/connect.ts'
import { fillTemplates } from '../../mcp/templates.ts'
import type { StoredServer } from './schema.ts'
import { openSecrets } from './secrets.ts'

/** On whose behalf a server is called. */
export interface McpCaller {
  /** The agent that calls a tool, and its environment. */
  agentId?: string | undefined
  environment?: Readonly<Record<string, string>> | undefined
}

const withoutQuotes = (text: string) => text.trim().replace(/^(["'])(.*)\1$/s, '$2')

/** The name of a header, without the colon and the quotes that are copied along with it. */
export const headerName = (text: string) => withoutQuotes(text).replace(/:+$/, '')

/** A token as the header `Authorization` has it: with its scheme. */
const withScheme = (header: string, token: string) =>
  header.toLowerCase() === 'authorization' && !token.includes(' ') ? `Bearer ${token}` : token

/** The address of a server, with the headers of a caller. */
export function addressOf(
  scope: Scope,
  server: StoredServer,
  { agentId, environment = {} }: McpCaller = {},
): McpServerAddress {
  const { organizationId } = scope
  const key = `${organizationId}/${server.id}/${server.server_url ?? ''}`
  if (server.mcp_server_type === 'stdio') return { key, type: 'stdio', organizationId, name: server.server_name }
  const { auth_token, custom_headers = {} } = openSecrets(scope, server)
  const filled = (value: string) => fillTemplates(withoutQuotes(value), environment)
  const header = headerName(server.auth_header ?? 'Authorization')
  return {
    key,
    type: server.mcp_server_type,
    url: server.server_url!,
    headers: {
      ...Object.fromEntries(Object.entries(custom_headers).map(([name, value]) => [headerName(name), filled(value)])),
      ...(auth_token !== undefined && { [header]: withScheme(header, filled(auth_token)) }),
      ...(agentId && { 'X-Agent-Id': agentId }),
    },
  }
}

import type { Scope } from '../../db/scope.ts'
import type { Egress } from '../../lib/egress.ts'
import { EgressError } from '../../lib/egress-address.ts'
import { ApiError, inBody, invalid, type ValidationIssue } from '../../lib/errors.ts'
import { headerName } from './address.ts'
import type { McpServerConfig, StoredServer } from './schema.ts'
import { openSecrets, sealSecrets } from './secrets.ts'

/** Whether a header can be sent. */
function isHeader(name: string, value: string): boolean {
  try {
    new Headers({ [headerName(name)]: value.trim() })
    return true
  } catch {
    return false
  }
}

function headerIssues({ auth_header, auth_token, custom_headers }: McpServerConfig): ValidationIssue[] {
  const wrong = (field: string) => inBody(`config.${field}`, 'cannot be sent as an HTTP header')
  const token = isHeader(auth_header ?? 'Authorization', auth_token ?? '') ? [] : [wrong('auth_token')]
  const others = Object.entries(custom_headers ?? {}).filter(([name, value]) => !isHeader(name, value))
  return [...token, ...others.map(([name]) => wrong(`custom_headers.${name}`))]
}

/** The problem of an address; undefined for one that this server connects to. */
async function addressIssue(egress: Egress, url: string): Promise<ValidationIssue | undefined> {
  try {
    await egress.check(url)
    return undefined
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    return inBody('config.server_url', `cannot be used: ${error.message.replace(/\.$/, '')}`)
  }
}

/** The 403 for a change of a program. */
export const ownedByOperator = ({ server_name }: Pick<StoredServer, 'server_name'>) =>
  new ApiError(
    'forbidden',
    `The MCP server ${JSON.stringify(server_name)} is a program that the settings of this server name: only its operator can change it.`,
  )

/**
 * 403 for a program on this machine, which only the settings of this server may name. 422 for an address that this server
 * doesn't connect to, and for headers that can't be sent; for a configuration without an address where it is `complete`.
 */
export async function checkConfig(egress: Egress, config: McpServerConfig, complete: boolean): Promise<void> {
  if (config.mcp_server_type === 'stdio' || config.command != null) {
    throw new ApiError(
      'forbidden',
      'An MCP server of the type stdio is a program on the machine of this server: only its operator can name one, in the file of CAIRN_MCP_SERVERS.',
    )
  }
  const { server_url: url } = config
  const isMissing = complete ? url == null : url === null
  const missing = isMissing ? inBody('config.server_url', 'is needed') : undefined
  const issue = url == null ? missing : await addressIssue(egress, url)
  const issues = [...(issue ? [issue] : []), ...headerIssues(config)]
  if (issues.length > 0) throw invalid(...issues)
}

/** The columns of a configuration: those of a field that it doesn't name stay as they are in `before`. */
export function columnsOf(scope: Scope, id: string, config: McpServerConfig, before?: StoredServer) {
  const { mcp_server_type, server_url, auth_header, auth_token, custom_headers } = config
  const old = before ? openSecrets(scope, before) : {}
  const kept = <T>(value: T | null | undefined, was: T | undefined) =>
    value === undefined ? was : (value ?? undefined)
  const secrets = {
    auth_token: kept(auth_token, old.auth_token),
    custom_headers: kept(custom_headers, old.custom_headers),
  }
  // Unchanged secrets stay as they are: a second encryption would look like a change.
  const isEqual = before && JSON.stringify(secrets) === JSON.stringify(old)
  return {
    mcp_server_type: mcp_server_type ?? before?.mcp_server_type ?? 'streamable_http',
    server_url: server_url ?? undefined,
    auth_header,
    secrets_enc: isEqual ? undefined : sealSecrets(scope, id, secrets),
  }
}

/** 422 for a new address without new secrets: otherwise a caller who may change the address could receive the secrets. */
export function checkMove(scope: Scope, before: StoredServer, config: McpServerConfig): void {
  const { server_url } = config
  if (server_url == null || new URL(server_url).origin === new URL(before.server_url!).origin) return
  const secrets = openSecrets(scope, before)
  const issues = (['auth_token', 'custom_headers'] as const).flatMap((field) =>
    secrets[field] === undefined || config[field] !== undefined
      ? []
      : inBody(`config.${field}`, 'must be given again with another server_url: it is kept for the old address alone'),
  )
  if (issues.length > 0) throw invalid(...issues)
}

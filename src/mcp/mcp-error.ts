import { EgressError } from '../lib/egress-address.ts'
import { reasonOf } from '../llm/connection.ts'

/** An MCP server that can't be used. The message is for users, and has no full stop. */
export class McpError extends Error {
  /** `unauthorized`: the server wants other credentials. */
  readonly kind: 'unreachable' | 'unauthorized'

  constructor(kind: McpError['kind'], message: string, cause?: unknown) {
    super(message.replace(/\.$/, ''), { cause })
    this.kind = kind
  }
}

/** The HTTP status of a server's response, inside an error of the MCP library. */
export function statusIn(error: unknown): number | undefined {
  const { status, code } = (error ?? {}) as { status?: unknown; code?: unknown }
  return [status, code].find((value) => typeof value === 'number' && value >= 100 && value < 600) as number | undefined
}

/** The message of an error that a server answers a request with (JSON-RPC 2.0 § 5.1); undefined for any other error. */
export async function answerIn(error: unknown): Promise<string | undefined> {
  const { ProtocolError } = await import('@modelcontextprotocol/client')
  return error instanceof ProtocolError ? error.message : undefined
}

/** The error of a connection that failed, for users. */
export async function asMcpError(error: unknown): Promise<McpError> {
  if (error instanceof McpError) return error
  const { SdkErrorCode, UnauthorizedError } = await import('@modelcontextprotocol/client')
  const status = statusIn(error)
  if (status === 401 || status === 403 || error instanceof UnauthorizedError) {
    return new McpError('unauthorized', `it does not accept the credentials (it answers ${status ?? 401})`, error)
  }
  for (let at = error; at; at = (at as { cause?: unknown }).cause) {
    if (at instanceof McpError) return at
    if (at instanceof EgressError) return new McpError('unreachable', at.message, error)
  }
  if (status !== undefined) return new McpError('unreachable', `it answers ${status}`, error)
  if ((error as { code?: unknown }).code === SdkErrorCode.RequestTimeout) {
    return new McpError('unreachable', 'it takes too long', error)
  }
  const answer = await answerIn(error)
  return new McpError('unreachable', answer ? `it answers with an error: ${answer}` : reasonOf(error), error)
}

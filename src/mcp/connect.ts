import { setTimeout as wait } from 'node:timers/promises'
import type {
  AuthProvider,
  Client,
  OAuthClientProvider,
  PriorDiscovery,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { Fetch } from '../lib/egress.ts'
import { EgressError } from '../lib/egress-address.ts'
import { asMcpError } from './mcp-error.ts'

/** The milliseconds for each response of a server that is connected to. */
const CONNECT_MS = 30_000

/** The milliseconds for the end of a session at its server. */
const TERMINATE_MS = 1_000

interface Keyed {
  /** The organization and the id of the server: what the client knows of a server it knows of this key. */
  key: string
}

/** An MCP server that is a program on this machine, by its name in the settings. */
export interface ProgramAddress extends Keyed {
  type: 'stdio'
  organizationId: string
  name: string
}

/** An MCP server at an address, and what it is sent. */
export interface HttpAddress extends Keyed {
  type: 'sse' | 'streamable_http'
  url: string
  headers: Readonly<Record<string, string>>
  auth?: AuthProvider | OAuthClientProvider | undefined
}

export type McpServerAddress = HttpAddress | ProgramAddress

/** What connections are made with. */
export interface Connector {
  fetch: Fetch
  /** The version of this server, which it reports to others. */
  version: string
}

/** A connection to a server. */
export interface Connection {
  client: Client
  /** Rejects at the end of the time, and when the server is refused or sends too much: the library itself would wait on. */
  ended: Promise<never>
  /** Ends the session at the server, without waiting for it, and the connection. */
  close(): void
}

type Library = typeof import('@modelcontextprotocol/client')

/** `fetch` that reports a refused address or an oversized response to `report`, also where it fails while it is read. */
const reporting =
  (fetch: Fetch, report: (error: EgressError) => void): Fetch =>
  async (input, init) => {
    const noted = (error: unknown) => {
      if (error instanceof EgressError) report(error)
      throw error
    }
    const response = await fetch(input, init).catch(noted)
    if (!response.body) return response
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    response.body
      .pipeTo(writable)
      .catch(noted)
      .catch(() => {})
    const { status, statusText, headers } = response
    return new Response(readable, { status, statusText, headers })
  }

function transportTo(
  { SSEClientTransport, StreamableHTTPClientTransport }: Library,
  server: HttpAddress,
  fetch: Fetch,
): SSEClientTransport | StreamableHTTPClientTransport {
  const url = new URL(server.url)
  const options = {
    fetch,
    requestInit: { headers: server.headers },
    ...(server.auth && { authProvider: server.auth }),
  }
  if (server.type === 'sse') return new SSEClientTransport(url, options)
  const reconnectionOptions = {
    maxRetries: 0,
    initialReconnectionDelay: 1_000,
    maxReconnectionDelay: 1_000,
    reconnectionDelayGrowFactor: 1,
  }
  return new StreamableHTTPClientTransport(url, { ...options, reconnectionOptions })
}

/**
 * Connects to a server: of either era of the protocol, unless `prior` says which one. `signal` ends the connection, now or
 * later. Throws an McpError, or the reason of the signal where its caller has aborted it.
 */
export async function connect(
  { fetch, version }: Connector,
  server: HttpAddress,
  prior: PriorDiscovery | undefined,
  signal: AbortSignal,
): Promise<Connection> {
  const library = await import('@modelcontextprotocol/client')
  const { promise: ended, reject } = Promise.withResolvers<never>()
  ended.catch(() => {})
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  const transport = transportTo(library, server, reporting(fetch, reject))
  const client = new library.Client({ name: 'cairn', version }, { versionNegotiation: { mode: 'auto' } })
  const close = () => {
    signal.removeEventListener('abort', abort)
    const end = () => Promise.allSettled([client.close(), transport.close()])
    if ('sessionId' in transport && transport.sessionId !== undefined) {
      Promise.race([transport.terminateSession(), wait(TERMINATE_MS, undefined, { ref: false })])
        .catch(() => {})
        .then(end)
    } else end()
  }
  try {
    await Promise.race([client.connect(transport, { timeout: CONNECT_MS, ...(prior && { prior }) }), ended])
    return { client, ended, close }
  } catch (error) {
    close()
    if (signal.aborted && signal.reason.name !== 'TimeoutError') throw signal.reason
    throw await asMcpError(error)
  }
}

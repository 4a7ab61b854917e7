import type { Client, PriorDiscovery, Tool } from '@modelcontextprotocol/client'
import { LRUCache } from 'lru-cache'
import { createBreaker } from './breaker.ts'
import { type Connection, type Connector, connect, type McpServerAddress } from './connect.ts'
import { answerIn, asMcpError, McpError, statusIn } from './mcp-error.ts'
import type { Programs } from './programs.ts'
import { type McpResult, readResult } from './read-result.ts'

/** The milliseconds for a list of tools, and for a call, with their connection. */
const LIMITS = { listMs: 30_000, callMs: 60_000 }

/** The eras that this process remembers, and for how long: a server may be brought up to date. */
const ERAS = { max: 10_000, ttl: 10 * 60_000 }

/** A tool as its server defines it. */
export type McpTool = Pick<Tool, 'name' | 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations'>

/** Calls MCP servers. Each call over HTTP has a connection of its own, so that no session outlives it. */
export interface McpClient {
  /** The tools of a server, at most 250. Connects though the server has its pause. Throws an McpError. */
  listTools(server: McpServerAddress, signal?: AbortSignal): Promise<McpTool[]>
  /**
   * The result of a call; an error that the server answers with is a result. Throws an McpError, and for a call that takes
   * longer than 60 seconds a TimeoutError.
   */
  callTool(
    server: McpServerAddress,
    tool: Pick<McpTool, 'name' | 'inputSchema'>,
    args: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<McpResult>
}

/** The tools of one server at most. */
export const MAX_TOOLS = 250

/** The statuses for a session that a server doesn't know any more: such a request has had no effect. */
const isLost = (error: unknown) => [400, 404].includes(statusIn(error instanceof McpError ? error.cause : error) ?? 0)

/** Runs `work` with a connection; once more where the session, or the era that was remembered, is gone: `forget` forgets it. */
async function withConnection<T>(
  open: () => Promise<Connection>,
  forget: () => void,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  for (let again = true; ; again = false) {
    let connection: Connection | undefined
    try {
      connection = await open()
      return await Promise.race([work(connection.client), connection.ended])
    } catch (error) {
      if (!again || !isLost(error)) throw error
      forget()
    } finally {
      connection?.close()
    }
  }
}

const limited = (ms: number, signal?: AbortSignal) =>
  signal ? AbortSignal.any([signal, AbortSignal.timeout(ms)]) : AbortSignal.timeout(ms)

/** Creates a client with caches of its own. */
export function createMcpClient(
  { programs, ...connector }: Connector & { programs: Pick<Programs, 'connect'> },
  { listMs, callMs } = LIMITS,
): McpClient {
  const eras = new LRUCache<string, PriorDiscovery>(ERAS)
  const breaker = createBreaker()

  async function connectTo(server: McpServerAddress, signal: AbortSignal): Promise<Connection> {
    if (server.type === 'stdio') return programs.connect(server, signal)
    const prior = eras.get(server.key)
    const connection = await connect(connector, server, prior, signal)
    if (prior) return connection
    const discover = connection.client.getDiscoverResult()
    eras.set(server.key, discover ? { kind: 'modern', discover } : { kind: 'legacy' })
    return connection
  }

  return {
    async listTools(server, signal) {
      const own = limited(listMs, signal)
      try {
        const { tools } = await withConnection(
          () => connectTo(server, own),
          () => eras.delete(server.key),
          (client) => client.listTools(),
        )
        return tools.slice(0, MAX_TOOLS)
      } catch (error) {
        throw signal?.aborted ? signal.reason : await asMcpError(error)
      }
    },
    async callTool(server, { name, inputSchema }, args, signal) {
      const own = limited(callMs, signal)
      const options = {
        timeout: 2 * callMs,
        toolDefinition: { name, inputSchema },
        // The end of a connection ends other calls.
        ...(server.type === 'stdio' && { signal: own }),
      }
      try {
        const result = await withConnection(
          () => breaker.run(server.key, () => connectTo(server, own)),
          () => eras.delete(server.key),
          (client) => client.callTool({ name, arguments: args }, options),
        )
        return readResult(result)
      } catch (error) {
        const text = await answerIn(error)
        if (text !== undefined) return { status: 'error', text, images: [] }
        throw error === own.reason ? error : await asMcpError(error)
      }
    },
  }
}

import { LRUCache } from 'lru-cache'
import { McpError } from './mcp-error.ts'

/** The failed connections in a row after which a server gets a pause, and its length in milliseconds. */
const MAX_FAILURES = 3
const PAUSE_MS = 30_000

/** The servers of whose failures this process knows at most. */
const MAX_SERVERS = 10_000

interface Failures {
  count: number
  /** The end of the pause, in milliseconds. */
  until: number
}

/** Spares servers that can't be reached, and whoever would wait for them. */
export interface Breaker {
  /** Runs a connection. Throws an McpError at once while the server has its pause; after the pause one connection tries. */
  run<T>(key: string, connect: () => Promise<T>): Promise<T>
}

/**
 * A breaker: closed while connections succeed, open for 30 seconds after three failures in a row, then half open: one
 * connection tries the server, and closes the breaker or opens it again. Only servers that can't be reached count.
 */
export function createBreaker(): Breaker {
  const servers = new LRUCache<string, Failures>({ max: MAX_SERVERS })
  return {
    async run(key, connect) {
      const failures = servers.get(key)
      if (failures && failures.count >= MAX_FAILURES) {
        const left = failures.until - Date.now()
        if (left > 0) {
          const seconds = Math.ceil(left / 1000)
          throw new McpError('unreachable', `it has failed ${failures.count} times: it is tried again in ${seconds} s`)
        }
        failures.until = Date.now() + PAUSE_MS
      }
      try {
        const result = await connect()
        servers.delete(key)
        return result
      } catch (error) {
        if (error instanceof McpError && error.kind === 'unreachable') {
          const count = (servers.get(key)?.count ?? 0) + 1
          servers.set(key, { count, until: Date.now() + PAUSE_MS })
        }
        throw error
      }
    },
  }
}

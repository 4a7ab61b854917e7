import { createResolver, EgressError, hostOf, type Lookup, parseUrl } from './egress-address.ts'
import { type Agents, openAgents } from './egress-agents.ts'
import { mapBytes } from './map-bytes.ts'
import type { TransactionGuard } from './transaction-guard.ts'

export type Fetch = typeof globalThis.fetch

/** The connections of this server to addresses outside. */
export interface Egress {
  /**
   * `fetch` for addresses of users: http and https only, never to a private or reserved network unless the operator allows
   * it, and to exactly the address that was checked. Follows no redirect: rejects it, or returns it where the caller asks for
   * `redirect: 'manual'`. Time and size are bounded. Rejects a refused address with an EgressError.
   */
  fetch: Fetch
  /** `fetch` with equal bounds to any network: only for addresses of the server's own settings. */
  trusted: Fetch
  /** Rejects with an EgressError an address that `fetch` would refuse. Accepts a name that can't be resolved now. */
  check(url: string): Promise<void>
  close(): Promise<void>
}

export interface EgressBounds {
  connectMs?: number
  /** From the request to the head of the response. */
  headersMs?: number
  /** Between two chunks of the response. */
  bodyMs?: number
  /** From the request to the end of the response. */
  totalMs?: number
  /** The size of the response after decompression. */
  maxBytes?: number
  /** The connections to one server; further requests wait. */
  connections?: number
}

const BOUNDS = {
  connectMs: 10_000,
  headersMs: 120_000,
  bodyMs: 30_000,
  totalMs: 180_000,
  maxBytes: 32 * 1024 * 1024,
  connections: 16,
}

/** The longest wait of a check for a name. */
const CHECK_MS = 3_000

/** A response whose body fails beyond `maxBytes`. */
function bounded(response: Response, maxBytes: number): Response {
  if (!response.body) return response
  let read = 0
  const counted = mapBytes(response.body, (chunk) => {
    read += chunk.byteLength
    if (read > maxBytes) throw new EgressError(`The answer has more than ${maxBytes} bytes.`)
    return chunk
  })
  const { status, statusText, headers } = response
  return new Response(counted, { status, statusText, headers: [...headers] })
}

/** Whether a response leads to another address. */
export const isRedirect = ({ status, headers }: Response): boolean =>
  status >= 300 && status < 400 && headers.has('location')

/** `egress` outside transactions; inside one, its calls reject with a TransactionGuardError. */
export const guardEgress = (egress: Egress, guard: TransactionGuard): Egress => ({
  fetch: guard.outside(egress.fetch),
  trusted: guard.outside(egress.trusted),
  check: guard.outside(egress.check),
  close: egress.close,
})

/** `fetch` with these agents. Rejects redirects; a response ends with an error beyond `totalMs` or `maxBytes`. */
const boundedFetch =
  (agents: () => Promise<Agents>, which: 'guarded' | 'trusted', totalMs: number, maxBytes: number): Fetch =>
  async (input, init = {}) => {
    const request = input instanceof Request ? input : undefined
    const url = parseUrl(request?.url ?? String(input))
    const { fetch, [which]: dispatcher } = await agents()
    const timeout = AbortSignal.timeout(totalMs)
    const callerSignal = init.signal ?? request?.signal
    const signal = callerSignal ? AbortSignal.any([callerSignal, timeout]) : timeout
    try {
      const response = await fetch(url, { ...init, signal, dispatcher, redirect: 'manual' })
      if (isRedirect(response) && init.redirect !== 'manual') {
        await response.body?.cancel()
        throw new EgressError(
          `${url.host} answers with a redirect, which is not followed: give the address it leads to.`,
        )
      }
      return bounded(response, maxBytes)
    } catch (error) {
      throw (error as Error).cause instanceof EgressError ? (error as Error).cause : error
    }
  }

/** `allowed`: networks, addresses and the names loopback, linklocal and uniquelocal, besides the public internet. */
export function createEgress(allowed: readonly string[], bounds: EgressBounds = {}, lookup?: Lookup): Egress {
  const { totalMs, maxBytes, ...limits } = { ...BOUNDS, ...bounds }
  const resolver = createResolver(allowed, lookup)
  let opened: Promise<Agents> | undefined
  const agents = () => {
    opened ??= openAgents(resolver, limits)
    return opened
  }
  return {
    fetch: boundedFetch(agents, 'guarded', totalMs, maxBytes),
    trusted: boundedFetch(agents, 'trusted', totalMs, maxBytes),
    async check(text) {
      const host = hostOf(parseUrl(text).hostname)
      const timeout = new Promise<void>((done) => setTimeout(done, CHECK_MS).unref())
      const resolved = resolver.resolve(host).catch((error) => {
        if (error instanceof EgressError) throw error
      })
      await Promise.race([resolved, timeout])
    },
    async close() {
      if (!opened) return
      const { trusted, guarded } = await opened
      await Promise.all([trusted.destroy(), guarded.destroy()])
    },
  }
}

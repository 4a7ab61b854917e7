import type { LookupFunction } from 'node:net'
import type { Agent } from 'undici'
import { hostOf, type Resolver } from './egress-address.ts'

interface Limits {
  connectMs: number
  headersMs: number
  bodyMs: number
  /** Connections to one server at most; further requests wait. */
  connections: number
}

/** `fetch` through the connections of an agent. */
type FetchBy = (url: URL, init: Omit<RequestInit, 'dispatcher'> & { dispatcher: Agent }) => Promise<Response>

/** The connections of this server to others. */
export interface Agents {
  fetch: FetchBy
  /** Connects to the addresses that the resolver allows. */
  guarded: Agent
  /** Connects to any address. */
  trusted: Agent
}

const lookupBy =
  ({ resolve }: Resolver): LookupFunction =>
  (host, { all }, done) => {
    resolve(host).then(
      (addresses) => (all ? done(null, addresses) : done(null, addresses[0]!.address, addresses[0]!.family)),
      (error) => done(error, []),
    )
  }

/** Loads the HTTP client, which many servers never need, and makes its agents. */
export async function openAgents(
  resolver: Resolver,
  { connectMs, headersMs, bodyMs, connections }: Limits,
): Promise<Agents> {
  const { Agent, buildConnector, fetch } = await import('undici')
  const limits = { headersTimeout: headersMs, bodyTimeout: bodyMs, connections }
  const connect = buildConnector({ timeout: connectMs, allowH2: false, lookup: lookupBy(resolver) })
  return {
    // It holds: both types describe the same standard; the global one comes from an older release of this package.
    fetch: fetch as unknown as FetchBy,
    trusted: new Agent({ ...limits, connect: { timeout: connectMs, allowH2: false } }),
    guarded: new Agent({
      ...limits,
      connect(options, done) {
        // No lookup happens for a host that is an address, so it is checked here.
        try {
          resolver.checkAddress(hostOf(options.hostname))
        } catch (error) {
          done(error as Error, null)
          return
        }
        connect(options, done)
      },
    }),
  }
}

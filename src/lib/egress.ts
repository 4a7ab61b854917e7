import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { compile } from '@fastify/proxy-addr'
import ipaddr from 'ipaddr.js'
import { createSemaphore } from './semaphore.ts'
import type { TransactionGuard } from './transaction-guard.ts'

export type Fetch = typeof globalThis.fetch

/** A connection that isn't made. The message is for whoever gave the address. */
export class EgressError extends Error {}

interface Address {
  address: string
  family: number
}

/** Every address of a name. */
type Lookup = (name: string) => Promise<Address[]>

/** How this server connects to addresses that it was given. */
export interface Egress {
  /**
   * Like `fetch`, for addresses that users give: http and https alone, never to a private or reserved network unless the
   * operator allows it, and to exactly the address that was checked. Follows no redirect, and reads within bounds of
   * time and size. Rejects with an EgressError what isn't allowed.
   */
  fetch: Fetch
  /** The same within the same bounds, to any network: only for addresses of the server's own settings. */
  trusted: Fetch
  /**
   * Rejects with an EgressError an address that `fetch` would refuse. A name that can't be resolved now passes: it is
   * checked again whenever it is used.
   */
  check(url: string): Promise<void>
  close(): Promise<void>
}

export interface EgressBounds {
  connectMs?: number
  /** Until the answer begins. */
  headersMs?: number
  /** Between two pieces of the answer. */
  bodyMs?: number
  /** Until the answer ends. */
  totalMs?: number
  /** Of an answer, after decompression. */
  maxBytes?: number
}

const BOUNDS = { connectMs: 10_000, headersMs: 120_000, bodyMs: 30_000, totalMs: 180_000, maxBytes: 32 * 1024 * 1024 }

/** Connections to one server at most; what comes beyond waits. */
const CONNECTIONS = 16

/** Resolving a name holds one of the process's four worker threads: names that don't resolve must leave some free. */
const LOOKUPS_AT_ONCE = 2

/** How long a check waits for a name. */
const CHECK_MS = 3_000

/** Global unicast (RFC 4291): IPv6 addresses of no other kind lie on the internet. */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3')

const REMEDY = 'The operator of the server can allow it in CAIRN_ALLOWED_NETWORKS.'

/** Whether an address lies on the public internet, or in one of the networks allowed besides. */
function createPolicy(allowed: readonly string[]): (address: string) => boolean {
  const besides = compile([...allowed])
  return (address) => {
    // An IPv4 address inside an IPv6 one is what is connected to.
    const parsed = ipaddr.process(address)
    if (besides(parsed.toString(), 0)) return true
    if (parsed.range() !== 'unicast') return false
    return parsed.kind() === 'ipv4' || parsed.match(GLOBAL)
  }
}

const systemAddresses: Lookup = (name) => systemLookup(name, { all: true, verbatim: true })

/** The host of a URL as connections take it: without the brackets of an IPv6 address. */
const hostOf = (hostname: string) => hostname.replace(/^\[|\]$/g, '')

function urlOf(input: Parameters<Fetch>[0]): URL {
  const text = input instanceof Request ? input.url : String(input)
  if (!URL.canParse(text)) throw new EgressError('This is not a URL.')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressError(`Only http and https are spoken here, not "${url.protocol.slice(0, -1)}".`)
  }
  if (url.username || url.password) throw new EgressError('A URL must not hold a user name or a password.')
  return url
}

/** What is wrong with a URL, wherever it leads; undefined when it can be asked. */
export function urlIssue(url: string): string | undefined {
  try {
    urlOf(url)
    return undefined
  } catch (error) {
    return (error as EgressError).message
  }
}

/** The same answer, whose reading fails beyond a size. */
function bounded(response: Response, maxBytes: number): Response {
  if (!response.body) return response
  let read = 0
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        read += chunk.byteLength
        if (read > maxBytes) controller.error(new EgressError(`The answer has more than ${maxBytes} bytes.`))
        else controller.enqueue(chunk)
      },
    }),
  )
  const { status, statusText, headers } = response
  return new Response(counted, { status, statusText, headers: [...headers] })
}

/** `egress` outside transactions; inside one, its calls reject with a TransactionGuardError. */
export const guardEgress = (egress: Egress, guard: TransactionGuard): Egress => ({
  fetch: guard.outside(egress.fetch),
  trusted: guard.outside(egress.trusted),
  check: guard.outside(egress.check),
  close: egress.close,
})

/** `allowed` are networks, addresses and the names loopback, linklocal and uniquelocal. */
export function createEgress(
  allowed: readonly string[],
  bounds: EgressBounds = {},
  lookup: Lookup = systemAddresses,
): Egress {
  const { connectMs, headersMs, bodyMs, totalMs, maxBytes } = { ...BOUNDS, ...bounds }
  const permits = createPolicy(allowed)
  const limit = createSemaphore(LOOKUPS_AT_ONCE)

  function checked(host: string, addresses: Address[]): Address[] {
    if (addresses.every(({ address }) => permits(address))) return addresses
    throw new EgressError(`${host} is in a network that this server does not connect to. ${REMEDY}`)
  }

  /** The addresses of a host, all of them allowed. */
  const resolve = async (host: string): Promise<Address[]> =>
    checked(host, isIP(host) ? [{ address: host, family: isIP(host) }] : await limit(() => lookup(host)))

  async function open() {
    // Loaded when it is first needed: many servers never connect to anything.
    const { Agent, buildConnector, fetch } = await import('undici')
    const limits = { headersTimeout: headersMs, bodyTimeout: bodyMs, connections: CONNECTIONS }
    const lookupChecked: LookupFunction = (host, { all }, done) => {
      resolve(host).then(
        (addresses) => (all ? done(null, addresses) : done(null, addresses[0]!.address, addresses[0]!.family)),
        (error) => done(error, []),
      )
    }
    const connect = buildConnector({ timeout: connectMs, allowH2: false, lookup: lookupChecked })
    return {
      fetch: fetch as unknown as Fetch,
      trusted: new Agent({ ...limits, connect: { timeout: connectMs, allowH2: false } }),
      guarded: new Agent({
        ...limits,
        connect(options, done) {
          // Of an address nothing is looked up, so it is checked here.
          const host = hostOf(options.hostname)
          try {
            if (isIP(host)) checked(host, [{ address: host, family: isIP(host) }])
          } catch (error) {
            done(error as Error, null)
            return
          }
          connect(options, done)
        },
      }),
    }
  }
  let opened: ReturnType<typeof open> | undefined

  const through =
    (which: 'guarded' | 'trusted'): Fetch =>
    async (input, init = {}) => {
      const url = urlOf(input)
      opened ??= open()
      const { fetch, [which]: dispatcher } = await opened
      const given = init.signal ?? (input instanceof Request ? input.signal : undefined)
      const late = AbortSignal.timeout(totalMs)
      const signal = given ? AbortSignal.any([given, late]) : late
      try {
        const bounds = { ...init, signal, dispatcher, redirect: 'manual' } as unknown as RequestInit
        const response = await fetch(url, bounds)
        if (response.status >= 300 && response.status < 400 && response.headers.has('location')) {
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

  return {
    fetch: through('guarded'),
    trusted: through('trusted'),
    async check(text) {
      const host = hostOf(urlOf(text).hostname)
      const late = new Promise<void>((done) => setTimeout(done, CHECK_MS).unref())
      const found = resolve(host).catch((error) => {
        if (error instanceof EgressError) throw error
      })
      await Promise.race([found, late])
    },
    async close() {
      if (!opened) return
      const { trusted, guarded } = await opened
      await Promise.all([trusted.destroy(), guarded.destroy()])
    },
  }
}

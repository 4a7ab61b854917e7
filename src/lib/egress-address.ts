import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { compile } from '@fastify/proxy-addr'
import ipaddr from 'ipaddr.js'
import { createSemaphore } from './semaphore.ts'

/** A refused connection or response. The message is for the user who gave the address. */
export class EgressError extends Error {}

export interface Address {
  address: string
  family: number
}

/** Resolves a name to all of its addresses. */
export type Lookup = (name: string) => Promise<Address[]>

/** Finds the addresses of hosts that this server may connect to. */
export interface Resolver {
  /** Every address of a host. Rejects with an EgressError unless all of them are allowed. */
  resolve(host: string): Promise<Address[]>
  /** Throws an EgressError for a host that is an address of its own, and not an allowed one. */
  checkAddress(host: string): void
}

/** Name lookups at once. Each blocks one of the process's four worker threads: slow names must leave some free. */
const LOOKUPS_AT_ONCE = 2

/** Global unicast (RFC 4291): other IPv6 addresses aren't on the internet. */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3')

const REMEDY = 'The operator of the server can allow it in CAIRN_ALLOWED_NETWORKS.'

const systemAddresses: Lookup = (name) => systemLookup(name, { all: true, verbatim: true })

/** Whether an address is on the public internet, or in one of the allowed networks. */
function createPolicy(allowed: readonly string[]): (address: string) => boolean {
  const isAllowed = compile([...allowed])
  return (address) => {
    // Connections go to the IPv4 address inside an IPv6 one.
    const parsed = ipaddr.process(address)
    if (isAllowed(parsed.toString(), 0)) return true
    if (parsed.range() !== 'unicast') return false
    return parsed.kind() === 'ipv4' || parsed.match(GLOBAL)
  }
}

/** `allowed`: networks, addresses and the names loopback, linklocal and uniquelocal, besides the public internet. */
export function createResolver(allowed: readonly string[], lookup: Lookup = systemAddresses): Resolver {
  const permits = createPolicy(allowed)
  const limit = createSemaphore(LOOKUPS_AT_ONCE)
  const check = (host: string, addresses: readonly Address[]) => {
    if (addresses.every(({ address }) => permits(address))) return
    throw new EgressError(`${host} is in a network that this server does not connect to. ${REMEDY}`)
  }
  return {
    async resolve(host) {
      const family = isIP(host)
      const addresses = family ? [{ address: host, family }] : await limit(() => lookup(host))
      check(host, addresses)
      return addresses
    },
    checkAddress(host) {
      const family = isIP(host)
      if (family) check(host, [{ address: host, family }])
    },
  }
}

/** The host of a URL as connections take it: an IPv6 address without brackets. */
export const hostOf = (hostname: string) => hostname.replace(/^\[|\]$/g, '')

/** Parses an http or https URL without credentials. Throws an EgressError for any other. */
export function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw new EgressError('This is not a URL.')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressError(`Only http and https are spoken here, not "${url.protocol.slice(0, -1)}".`)
  }
  if (url.username || url.password) throw new EgressError('A URL must not hold a user name or a password.')
  return url
}

/** The reason why `parseUrl` refuses a URL; undefined for an accepted one. */
export function urlIssue(url: string): string | undefined {
  try {
    parseUrl(url)
    return undefined
  } catch (error) {
    return (error as EgressError).message
  }
}

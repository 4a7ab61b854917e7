import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Names } from '../db/render/json-columns.ts'

/**
 * The surface for clients of the Letta API: the same routes under another prefix, in the vendor's names. Unknown
 * parameters and keys are ignored there, and a `null` at the top of a PATCH leaves the field as it is.
 */
export const LETTA_PREFIX = '/letta'

/** Marks a connection whose requests use this surface without the prefix. */
export const AT_ROOT = Symbol('letta at the root')

/** The prefix of this surface in the paths of a request; absent for a request of the other surface. */
const ENTERED = Symbol('letta')

type Entered = IncomingMessage & { [ENTERED]?: string }

/** The path of the route behind a path of this surface, and marks the request; any other path stays as it is. */
export function enterLetta(raw: Entered, url: string): string {
  const prefix = url.startsWith(`${LETTA_PREFIX}/`) ? LETTA_PREFIX : ''
  if (prefix || AT_ROOT in raw.socket) raw[ENTERED] = prefix
  return url.slice(prefix.length)
}

/** Whether a request uses this surface. */
export const isLetta = (request: FastifyRequest): boolean => ENTERED in request.raw

/** A hook of routes that this surface doesn't have: they are a 404 there. */
export const refuseLetta = (request: FastifyRequest, reply: FastifyReply, done: () => void): void =>
  isLetta(request) ? void reply.callNotFound() : done()

/** The names of a request's response. */
export const namesOf = (request: FastifyRequest): Names => (isLetta(request) ? 'vendor' : 'neutral')

/** The prefix of route paths for the caller of a request. */
export const prefixOf = ({ raw }: FastifyRequest): string => (raw as Entered)[ENTERED] ?? ''

/** The User-Agent of the newer SDKs (1.x), in JavaScript and in Python. */
const NEWER_SDK = /^(@letta-ai\/)?letta-client\/1\.[^/]*$/

/**
 * Whether the caller expects agents with all relations unless the request names some, and the changed agent in response to
 * an attachment. On this surface that is every caller but the newer SDKs and those that send no User-Agent.
 */
export const expectsRelations = (request: FastifyRequest): boolean => {
  const { 'user-agent': agent, 'x-stainless-package-version': version } = request.headers
  return isLetta(request) && !version && Boolean(agent) && !NEWER_SDK.test(agent!)
}

/**
 * The language of the older SDK (0.x) that sent a request; undefined for any other client. Those SDKs send it in a header,
 * and can't read some responses of the newer API.
 */
export const olderSdk = (request: FastifyRequest): string | undefined =>
  isLetta(request) ? (request.headers['x-fern-language'] as string | undefined) : undefined

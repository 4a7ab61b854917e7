import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Actor } from '../db/context.ts'
import type { Scope } from '../db/scope.ts'
import { ApiError } from '../lib/errors.ts'
import { apiKeyOf } from './api-key.ts'
import { addClientAccess, type ClientPolicy, checkClient } from './client-access.ts'
import { addIfMatch } from './if-match.ts'
import { namesOf } from './letta.ts'
import type { RateLimits } from './rate-limit.ts'

/** The rights of a key: reading, changing, seeing secret values, administering the organization. */
export type Right = 'read' | 'write' | 'secrets' | 'admin'

/** The caller of a request; with a client-side access token, the policy that restricts it. */
export type Caller = Omit<Actor, 'requestId' | 'ifMatch'> & { client?: ClientPolicy }

/** The caller that a key belongs to; undefined for an unknown, expired or revoked key. */
export type Authenticate = (key: string) => Promise<Caller | undefined>

/** 401. Unknown, expired and revoked keys get equal responses, which reveal nothing. */
const unauthorized = () =>
  new ApiError('unauthorized', 'Send a valid API key: Authorization: Bearer <key>.', {
    headers: { 'www-authenticate': 'Bearer' },
  })

const rightOf = (request: FastifyRequest): Right =>
  request.routeOptions.config.right ?? (['GET', 'HEAD'].includes(request.method) ? 'read' : 'write')

/**
 * Requires an API key on every route of `app`, and sets the scope of each request. `limits`: the rate limits, if any.
 */
export function addAuth(
  app: FastifyInstance,
  authenticate: Authenticate,
  createScope: (actor: Actor) => Scope,
  limits?: RateLimits,
): void {
  addClientAccess(app)
  const acceptedVersions = addIfMatch(app)
  app.decorateRequest('scopeFor', async function (this: FastifyRequest, path: string) {
    return this.scope.withIfMatch(await acceptedVersions(this, path))
  })
  app.addHook('onRequest', async (request, reply) => {
    const key = apiKeyOf(request)
    await limits?.beforeKey(request, key)
    const caller = key && (await authenticate(key))
    if (!caller) {
      if (key) await limits?.wrongKey(request)
      throw unauthorized()
    }
    await limits?.rightKey(request, reply, key)
    const { client, ...actor } = caller
    request.organizationId = actor.organizationId
    if (client) checkClient(request, client)
    const right = rightOf(request)
    if (!actor.scopes.includes(right)) {
      throw new ApiError('forbidden', `This key lacks the scope "${right}".`)
    }
    const ifMatch = await acceptedVersions(request)
    request.scope = createScope({ ...actor, requestId: request.id, ifMatch, names: namesOf(request) })
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The database as the caller's organization sees it. */
    scope: Scope
    /** The scope of an upsert: its `If-Match` is compared with the resource at this path. Call it outside of transactions. */
    scopeFor(path: string): Promise<Scope>
    organizationId?: string
  }
  interface FastifyContextConfig {
    /** The right that the key must have; by default `read` for GET and `write` for other methods. */
    right?: Right
  }
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Actor } from '../db/context.ts'
import type { Scope } from '../db/scope.ts'
import { ApiError } from '../lib/errors.ts'
import { apiKeyOf } from './api-key.ts'
import { addClientAccess, type ClientPolicy, checkClient } from './client-access.ts'
import { matchVersions } from './headers.ts'
import { namesOf } from './letta.ts'
import type { RateLimits } from './rate-limit.ts'

/** What a key may hold: reading, changing, seeing secret values, running the organization. */
export type Right = 'read' | 'write' | 'secrets' | 'admin'

/** Who is calling; with a client-side access token, what the caller is held to. */
export type Caller = Omit<Actor, 'requestId' | 'ifMatch'> & { client?: ClientPolicy }

/** Who a key is, or undefined for an unknown, expired or revoked one. */
export type Authenticate = (key: string) => Promise<Caller | undefined>

/** One text, whatever was wrong with the key. */
const unauthorized = () =>
  new ApiError('unauthorized', 'Send a valid API key: Authorization: Bearer <key>.', {
    headers: { 'www-authenticate': 'Bearer' },
  })

const rightFor = (request: FastifyRequest): Right =>
  request.routeOptions.config.right ?? (['GET', 'HEAD'].includes(request.method) ? 'read' : 'write')

/** Asks for a key on every route of `app`, and gives each request its scope. `limits`: how often it may be used. */
export function addAuth(
  app: FastifyInstance,
  authenticate: Authenticate,
  createScope: (actor: Actor) => Scope,
  limits?: RateLimits,
): void {
  addClientAccess(app)
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
    const right = rightFor(request)
    if (!actor.scopes.includes(right)) {
      throw new ApiError('forbidden', `This key lacks the scope "${right}".`)
    }
    const ifMatch = request.method === 'POST' ? undefined : matchVersions(request.headers['if-match'])
    request.scope = createScope({ ...actor, requestId: request.id, ifMatch, names: namesOf(request) })
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The database as the caller's organization sees it. */
    scope: Scope
    organizationId?: string
  }
  interface FastifyContextConfig {
    /** What the key must hold; by default `read` for GET and `write` for the rest. */
    right?: Right
  }
}

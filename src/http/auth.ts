import type { FastifyContextConfig, FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { Actor } from '../db/context.ts'
import type { Scope } from '../db/scope.ts'
import { ApiError } from '../lib/errors.ts'
import { permits, scopeOf, type Verb } from '../lib/permissions.ts'
import { apiKeyOf } from './api-key.ts'
import { addClientAccess, type ClientPolicy, checkClient } from './client-access.ts'
import { addIfMatch } from './if-match.ts'
import { namesOf } from './letta.ts'
import type { RateLimits } from './rate-limit.ts'

/** The caller of a request; with a client-side access token, the policy that restricts it. */
export type Caller = Omit<Actor, 'requestId' | 'ifMatch'> & { client?: ClientPolicy }

/** The caller that a key belongs to; undefined for an unknown, expired or revoked key. */
export type Authenticate = (key: string) => Promise<Caller | undefined>

/** 401. Unknown, expired and revoked keys get equal responses, which reveal nothing. */
const unauthorized = () =>
  new ApiError('unauthorized', 'Send a valid API key: Authorization: Bearer <key>.', {
    headers: { 'www-authenticate': 'Bearer' },
  })

/** The scope that the operation of a route needs. */
export function neededScope({ url, path, method, config }: Route): string {
  const right = config?.right ?? ([method].flat().some((one) => ['GET', 'HEAD'].includes(one)) ? 'read' : 'write')
  return right === 'admin' ? right : scopeOf(url ?? path ?? '', right)
}

/** What a route is known by. */
type Route = Pick<RouteOptions, 'url' | 'method'> & { path?: string; config?: FastifyContextConfig | undefined }

/**
 * 403 unless the key has the scope of the operation: for all agents, or for the agent of the path, where the route is open to
 * callers that reach one agent alone.
 */
function checkScope(request: FastifyRequest, scopes: readonly string[]): void {
  const { config, url } = request.routeOptions
  if (config.anyKey) return
  const needed = neededScope({ url: url!, method: request.method as 'GET', config })
  if (permits(scopes, needed)) return
  const { agent_id } = request.params as { agent_id?: string }
  const { clientAccess } = config
  if (!clientAccess || !permits(scopes, needed, agent_id)) {
    throw new ApiError('forbidden', `This key lacks the scope "${needed}".`)
  }
  request.clientFields = clientAccess.fields ?? []
}

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
    checkScope(request, actor.scopes)
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
    /** The kind of the operation, or `admin`; by default `read` for GET and `write` for other methods. */
    right?: Verb | 'admin'
    /** Open to keys of any scope: what the operation does is checked elsewhere. */
    anyKey?: boolean
  }
}

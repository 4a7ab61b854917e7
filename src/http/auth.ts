import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Actor } from '../db/context.ts'
import type { Scope } from '../db/scope.ts'
import { ApiError } from '../lib/errors.ts'
import { matchVersions } from './headers.ts'

/** What a key may hold: reading, changing, seeing secret values, running the organization. */
export type Right = 'read' | 'write' | 'secrets' | 'admin'

/** Who a key is, or undefined for an unknown, expired or revoked one. */
export type Authenticate = (key: string) => Promise<Omit<Actor, 'requestId' | 'ifMatch'> | undefined>

/** One text, whatever was wrong with the key. */
const unauthorized = () =>
  new ApiError('unauthorized', 'Send a valid API key: Authorization: Bearer <key>.', {
    headers: { 'www-authenticate': 'Bearer' },
  })

const rightFor = (request: FastifyRequest): Right =>
  request.routeOptions.config.right ?? (['GET', 'HEAD'].includes(request.method) ? 'read' : 'write')

/** Asks for a key on every route of `app`, and gives each request its scope. */
export function addAuth(app: FastifyInstance, authenticate: Authenticate, createScope: (actor: Actor) => Scope): void {
  app.addHook('onRequest', async (request) => {
    const key = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const actor = key && (await authenticate(key))
    if (!actor) throw unauthorized()
    request.organizationId = actor.organizationId
    const right = rightFor(request)
    if (!actor.scopes.includes(right)) {
      throw new ApiError('forbidden', `This key lacks the scope "${right}".`)
    }
    const ifMatch = request.method === 'POST' ? undefined : matchVersions(request.headers['if-match'])
    request.scope = createScope({ ...actor, requestId: request.id, ifMatch })
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

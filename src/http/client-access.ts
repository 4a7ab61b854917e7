import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../lib/errors.ts'

/** A right of a client-side access token for an agent. */
export type ClientRight = 'read_messages' | 'write_messages' | 'read_agent' | 'write_agent'

/** The policy of a client-side access token. */
export interface ClientPolicy {
  /** The origin of its web page: `Origin` must have this value. */
  origin: string
  /** The agents it reaches, and its rights for each. */
  agents: ReadonlyMap<string, readonly ClientRight[]>
}

/** A route's access for client-side access tokens: for its `agent_id`, with this right. */
export interface ClientAccess {
  right: ClientRight
  /** The fields that the body may have: those that concern only the agent. */
  fields?: readonly string[]
}

const forbidden = (detail: string) => new ApiError('forbidden', detail)

/**
 * 403 unless the request comes from the token's origin, to a route with `clientAccess`, for an agent of the token's policy.
 * The policy alone decides, before any lookup, so that no response reveals whether another agent exists.
 */
export function checkClient(request: FastifyRequest, policy: ClientPolicy): void {
  if (request.headers.origin !== policy.origin) {
    throw forbidden('This token is good only on its hostname: the Origin header has to name it, as browsers do.')
  }
  const access = request.routeOptions.config.clientAccess
  if (!access) throw forbidden('A client-side access token does not reach this operation.')
  const { agent_id } = request.params as { agent_id: string }
  const rights = policy.agents.get(agent_id)
  if (!rights) throw forbidden('The policy of this token does not name this agent.')
  if (!rights.includes(access.right))
    throw forbidden(`The policy of this token lacks "${access.right}" for this agent.`)
  request.clientFields = access.fields ?? []
}

/** Restricts the bodies of requests with client-side access tokens to the fields that the route allows. */
export function addClientAccess(app: FastifyInstance): void {
  app.addHook('onRoute', ({ url, config }) => {
    if (config?.clientAccess && !url.includes('/:agent_id'))
      throw new Error(`${url} has no agent_id, so a client-side access token can't be checked. Remove clientAccess.`)
  })
  app.addHook('preHandler', async ({ clientFields, body }) => {
    if (!clientFields || body === undefined || body === null) return
    const other = Object.keys(body).find((field) => !clientFields.includes(field))
    if (other !== undefined) throw forbidden(`A client-side access token cannot set "${other}".`)
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The fields that the body may have, for a request with a client-side access token. */
    clientFields?: readonly string[]
  }
  interface FastifyContextConfig {
    /** Opens the route to client-side access tokens. By default it is closed to them. */
    clientAccess?: ClientAccess
  }
}

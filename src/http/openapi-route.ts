import type { FastifyContextConfig, FastifySchema, RouteOptions } from 'fastify'
import { type TObject, type TSchema, Type } from 'typebox'
import { Query } from '../lib/wire.ts'
import { neededScope } from './auth.ts'
import { KEY_PATTERN } from './idempotency-key.ts'
import { ERRORS } from './problem.ts'
import { withEnd } from './sse.ts'

const methodsOf = ({ method }: RouteOptions) => [method].flat()

/** The statuses of a route's error responses. */
function errorsOf(route: RouteOptions): number[] {
  if (route.config?.public) return route.schema?.querystring ? [400, 422, 431, 500, 503] : [431, 500, 503]
  const errors = [401, 403, 404, 422, 429, 431, 500, 503]
  // A path may be badly percent-encoded, and a body may be no JSON.
  if (route.schema?.params || route.schema?.body) errors.push(400)
  if (!methodsOf(route).includes('GET')) errors.push(409)
  if (conditionOf(route) === 'if-match') errors.push(412)
  if (route.schema?.body) errors.push(408, 413, 415)
  if (route.config?.callsUpstream) errors.push(502)
  return errors
}

/** The conditional header of a route: If-Match for changes of one resource, If-None-Match for reads of one. */
function conditionOf(route: RouteOptions): 'if-match' | 'if-none-match' | undefined {
  const success = (route.schema?.response as Record<string, { $ref?: string }> | undefined)?.['200']
  const methods = methodsOf(route)
  const upserts = methods.includes('PUT') && route.config?.right !== 'admin'
  if (!route.schema?.params && !upserts) return undefined
  if (!methods.includes('GET')) return 'if-match'
  return success?.$ref ? 'if-none-match' : undefined
}

const REQUEST_HEADERS = {
  'if-match': Type.String({ description: 'Only if the ETag is still one of these; 412 otherwise.' }),
  'if-none-match': Type.String({ description: 'Only if the ETag is none of these; 304 otherwise.' }),
  'idempotency-key': Type.String({
    title: '1 to 255 printable ASCII characters',
    pattern: KEY_PATTERN,
    description:
      'A name of your own for this request: sent again within 24 hours, it is answered as before and runs once.',
  }),
}

/** The schema of the request headers that a route reads. */
function headersOf(route: RouteOptions): { headers?: TSchema } {
  const once = !route.config?.public && methodsOf(route).some((method) => ['POST', 'PATCH', 'DELETE'].includes(method))
  const names = [conditionOf(route), once ? ('idempotency-key' as const) : undefined].filter(
    (name) => name !== undefined,
  )
  if (names.length === 0) return {}
  const headers = names.map((name) => [name, Type.Optional(REQUEST_HEADERS[name])])
  const own = (route.schema?.headers as TObject | undefined)?.properties
  return { headers: Type.Object({ ...own, ...Object.fromEntries(headers) }) }
}

const NO_PARAMETERS = Query({})

const HEADERS = {
  ETag: { type: 'string', description: 'The version of the resource, for If-Match and If-None-Match.' },
  Link: { type: 'string', description: '`<…>; rel="next"` when another page exists (RFC 8288).' },
  'X-Request-Id': { type: 'string', description: "The caller's, if it was a sane token, else ours." },
} as const

type Responses = Record<string, { type?: string; $ref?: string; content?: Record<string, { schema: TSchema }> }>

/** The responses of a route with their headers. A body of `null` is spelled out: the document would show no body. */
const withHeaders = (responses: Responses, { stream }: FastifyContextConfig = {}) =>
  Object.fromEntries(
    Object.entries(responses).map(([status, schema]) => {
      if (schema.content) {
        const content = withEnd(schema.content, stream?.end)
        return [status, { ...schema, content, headers: { 'X-Request-Id': HEADERS['X-Request-Id'] } }]
      }
      const headers = {
        ...(schema.$ref && { ETag: HEADERS.ETag }),
        ...(schema.type === 'array' && { Link: HEADERS.Link }),
        'X-Request-Id': HEADERS['X-Request-Id'],
      }
      return status === '200'
        ? [status, { description: 'Done.', headers, content: { 'application/json': { schema } } }]
        : [status, schema]
    }),
  )

/** The error responses of a route, which all have the shape `Problem`. */
const errorResponses = (route: RouteOptions) =>
  Object.fromEntries(
    errorsOf(route).map((status) => [
      status,
      { description: ERRORS[status], content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } } },
    ]),
  )

/** The schema of a route with all that the OpenAPI document shows: request headers, response headers and errors. */
export const documentedSchema = (route: RouteOptions & { schema: FastifySchema }): FastifySchema => ({
  // A route without query parameters refuses unknown ones, as other routes do.
  querystring: NO_PARAMETERS,
  ...route.schema,
  ...headersOf(route),
  ...(route.config?.clientAccess && {
    description: `A client-side access token reaches it with ${route.config.clientAccess.right}.`,
  }),
  response: {
    ...withHeaders(route.schema.response as Responses, route.config),
    ...(conditionOf(route) === 'if-none-match' && { 304: { type: 'null', description: 'The ETag is known already.' } }),
    ...errorResponses(route),
  },
  security: route.config?.public ? [] : [{ key: [neededScope(route)] }],
})

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Needs no API key. */
    public?: boolean
    /** Calls a service outside, such as a provider of models, which may fail: 502. */
    callsUpstream?: boolean
  }
}

import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { type TObject, type TSchema, Type } from 'typebox'
import { Query } from '../lib/wire.ts'

/** The shape of every error (RFC 9457). */
const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String({ description: 'What went wrong, for programs.' }),
    detail: Type.String({ description: 'What went wrong, for people.' }),
    message: Type.String({ description: 'The same as detail.' }),
    request_id: Type.String(),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          in: Type.Enum(['path', 'query', 'header', 'body']),
          field: Type.String(),
          message: Type.String(),
        }),
        { description: 'Every fault of the request, when it was not valid.' },
      ),
    ),
  },
  { $id: 'Problem' },
)

const ERRORS: Record<number, string> = {
  400: 'The body is not JSON.',
  401: 'No key, or not a valid one.',
  403: 'The key lacks a scope.',
  404: 'The organization has no such resource.',
  409: 'Another resource stands in the way, or the same request is being answered at the moment.',
  412: 'The resource has changed since: its ETag is another.',
  413: 'The body is too large.',
  415: 'The body is not application/json.',
  422: 'The request is not valid; `errors` lists every fault.',
  429: 'The key has used up its requests of this minute.',
  500: 'A fault of the server: report it with the request id.',
  502: 'A service the request needs, such as that of a model, does not answer as it should.',
  503: 'The database cannot be reached at the moment.',
}

const methodsOf = ({ method }: RouteOptions) => [method].flat()

function errorsOf(route: RouteOptions): number[] {
  if (route.config?.public) return [500, 503]
  const errors = [401, 403, 404, 422, 429, 500, 503]
  if (!methodsOf(route).includes('GET')) errors.push(409)
  if (conditionOf(route) === 'if-match') errors.push(412)
  if (route.schema?.body) errors.push(400, 413, 415)
  if (route.config?.callsUpstream) errors.push(502)
  return errors
}

/** The header a route's condition comes in: changes of one resource heed If-Match, reads of one If-None-Match. */
function conditionOf(route: RouteOptions): 'if-match' | 'if-none-match' | undefined {
  const answer = (route.schema?.response as Record<string, { $ref?: string }> | undefined)?.['200']
  if (!route.schema?.params) return undefined
  if (!methodsOf(route).includes('GET')) return 'if-match'
  return answer?.$ref ? 'if-none-match' : undefined
}

const REQUEST_HEADERS = {
  'if-match': 'Only if the ETag is still one of these; 412 otherwise.',
  'if-none-match': 'Only if the ETag is none of these; 304 otherwise.',
  'idempotency-key':
    'A name of your own for this request: sent again within 24 hours, it is answered as before and runs once.',
}

/** The headers a route heeds. */
function headersOf(route: RouteOptions): { headers?: TSchema } {
  const once = !route.config?.public && methodsOf(route).some((method) => ['POST', 'PATCH', 'DELETE'].includes(method))
  const names = [conditionOf(route), once ? ('idempotency-key' as const) : undefined].filter(
    (name) => name !== undefined,
  )
  if (names.length === 0) return {}
  const headers = names.map((name) => [name, Type.Optional(Type.String({ description: REQUEST_HEADERS[name] }))])
  const own = (route.schema?.headers as TObject | undefined)?.properties
  return { headers: Type.Object({ ...own, ...Object.fromEntries(headers) }) }
}

const NO_PARAMETERS = Query({})

const HEADERS = {
  ETag: { type: 'string', description: 'The version of the resource, for If-Match and If-None-Match.' },
  Link: { type: 'string', description: '`<…>; rel="next"` when another page exists (RFC 8288).' },
  'X-Request-Id': { type: 'string', description: "The caller's, if it was a sane token, else ours." },
} as const

type Responses = Record<string, { type?: string; $ref?: string; content?: object }>

/** The answers of a route with what their headers say. A body of `null` has to be spelled out: it would mean none. */
const withHeaders = (responses: Responses) =>
  Object.fromEntries(
    Object.entries(responses).map(([status, schema]) => {
      if (schema.content) return [status, { ...schema, headers: { 'X-Request-Id': HEADERS['X-Request-Id'] } }]
      const headers = {
        ...(schema.$ref && { ETag: HEADERS.ETag }),
        ...(schema.type === 'array' && { Link: HEADERS.Link }),
        'X-Request-Id': HEADERS['X-Request-Id'],
      }
      return status === '200' || status === '201'
        ? [status, { description: 'Done.', headers, content: { 'application/json': { schema } } }]
        : [status, schema]
    }),
  )

/** The OpenAPI 3.1 document, made from the schemas that validate, at `/openapi.json`; a page to read it at `/docs`. */
export async function addOpenApi(app: FastifyInstance, shapes: readonly TSchema[], version: string): Promise<void> {
  for (const shape of [Problem, ...shapes]) app.addSchema(shape)
  app.addHook('onRoute', (route) => {
    if (!route.schema || route.schema.hide || !route.schema.operationId) return
    const errors = Object.fromEntries(
      errorsOf(route).map((status) => [
        status,
        { description: ERRORS[status], content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } } },
      ]),
    )
    const condition = conditionOf(route)
    // A route that takes no parameters refuses them, as any other does those it doesn't know.
    route.schema = {
      querystring: NO_PARAMETERS,
      ...route.schema,
      ...headersOf(route),
      ...(route.config?.clientAccess && {
        description: `A client-side access token reaches it with ${route.config.clientAccess.right}.`,
      }),
      response: {
        ...withHeaders(route.schema.response as Responses),
        ...(condition === 'if-none-match' && { 304: { type: 'null', description: 'The ETag is known already.' } }),
        ...errors,
      },
    }
    if (route.config?.public) route.schema.security = []
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Cairn',
        version,
        description: 'A self-hosted server for stateful LLM agents: their memory, tools, archives, folders and groups.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }],
    },
    // Collections are documented with their trailing slash; they answer without it too.
    transform: ({ schema, url, route }) => {
      const { prefix } = route as { prefix?: string }
      return { schema, url: prefix && url === prefix ? `${url}/` : url }
    },
    refResolver: { buildLocalReference: (json) => String(json.$id) },
  })
  const documentFor = (request: FastifyRequest) => ({
    ...app.swagger(),
    ...(request.publicPath && { servers: [{ url: request.publicPath }] }),
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { persistAuthorization: true },
    uiHooks: {
      // The page finds its parts beside it, under whatever path it is reached.
      onRequest: (request, reply, done) => {
        if (/\/docs(\?|$)/.test(request.url)) return reply.redirect('docs/')
        if (/\/static\/index\.html(\?|$)/.test(request.url)) return reply.redirect('../')
        done()
      },
    },
    transformSpecification: (_, request) => documentFor(request),
    transformSpecificationClone: false,
  })
  app.get('/openapi.json', { schema: { hide: true } }, async (request) => documentFor(request))
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Needs no API key. */
    public?: boolean
    /** Calls a service outside, such as a model's, which may fail: 502. */
    callsUpstream?: boolean
  }
}

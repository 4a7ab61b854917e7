import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { type TSchema, Type } from 'typebox'
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
  409: 'Another resource stands in the way.',
  412: 'The resource has changed since: its ETag is another.',
  413: 'The body is too large.',
  415: 'The body is not application/json.',
  422: 'The request is not valid; `errors` lists every fault.',
  503: 'The database cannot be reached at the moment.',
}

function errorsOf({ method, schema }: RouteOptions): number[] {
  const reads = method === 'GET' || (Array.isArray(method) && method.includes('GET'))
  const errors = [401, 403, 404, 422, 503]
  if (!reads) errors.push(409)
  if (method === 'PATCH' || method === 'DELETE') errors.push(412)
  if (schema?.body) errors.push(400, 413, 415)
  return errors
}

const NO_PARAMETERS = Query({})

type Responses = Record<string, { type?: string }>

/** The generator takes a bare `null` for "no body": an answer that is the JSON value null has to say so. */
const withNulls = (responses: Responses) =>
  Object.fromEntries(
    Object.entries(responses).map(([status, schema]) =>
      status === '200' && schema.type === 'null'
        ? [status, { description: 'Done.', content: { 'application/json': { schema } } }]
        : [status, schema],
    ),
  )

/** The OpenAPI 3.1 document, made from the schemas that validate, at `/openapi.json`; a page to read it at `/docs`. */
export async function addOpenApi(app: FastifyInstance, shapes: readonly TSchema[], version: string): Promise<void> {
  for (const shape of [Problem, ...shapes]) app.addSchema(shape)
  app.addHook('onRoute', (route) => {
    if (!route.schema || route.schema.hide || !route.schema.operationId) return
    const errors = Object.fromEntries(
      (route.config?.open ? [503] : errorsOf(route)).map((status) => [
        status,
        { description: ERRORS[status], content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } } },
      ]),
    )
    // A route that takes no parameters refuses them, as any other does those it doesn't know.
    route.schema = {
      querystring: NO_PARAMETERS,
      ...route.schema,
      response: { ...withNulls(route.schema.response as Responses), ...errors },
    }
    if (route.config?.open) route.schema.security = []
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
  await app.register(swaggerUi, { routePrefix: '/docs', uiConfig: { persistAuthorization: true } })
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Asks for no key. */
    open?: boolean
  }
}

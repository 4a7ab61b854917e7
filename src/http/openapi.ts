import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { addDocs } from './docs.ts'
import { documentedSchema } from './openapi-route.ts'
import { Problem } from './problem.ts'

const documentOptions = (version: string): FastifyDynamicSwaggerOptions => ({
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
  // The document shows collections with a trailing slash; the router takes both.
  transform: ({ schema, url, route }) => {
    const { prefix } = route as { prefix?: string }
    return { schema, url: prefix && url === prefix ? `${url}/` : url }
  },
  refResolver: { buildLocalReference: (json) => String(json.$id) },
})

/** Serves the OpenAPI 3.1 document of the routes' schemas at `/openapi.json`, and a page to read it at `/docs`. */
export async function addOpenApi(app: FastifyInstance, shapes: readonly TSchema[], version: string): Promise<void> {
  for (const shape of [Problem, ...shapes]) app.addSchema(shape)
  app.addHook('onRoute', (route) => {
    const { schema } = route
    if (schema && !schema.hide && schema.operationId) route.schema = documentedSchema({ ...route, schema })
  })
  await app.register(swagger, documentOptions(version))
  const documentFor = (request: FastifyRequest) => ({
    ...app.swagger(),
    ...(request.publicPath && { servers: [{ url: request.publicPath }] }),
  })
  addDocs(app)
  app.get('/openapi.json', { schema: { hide: true } }, async (request) => documentFor(request))
}

import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { type PreparedSearch, prepareSearch, type Searched, searchPassages } from './search.ts'
import { FoundPassage, SearchPassages } from './search-schema.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Prepared before the handler, which may run in a transaction. */
    search?: PreparedSearch
  }
}

/** `/v1/passages` */
export const passageSearchRoutes = (searched: Searched) => async (app: App) => {
  app.post(
    '/search',
    {
      config: { right: 'read', outside: true },
      schema: {
        operationId: 'search_passages',
        summary: 'Search passages by vectors and words, the best first',
        tags: ['passages'],
        body: SearchPassages,
        response: { 200: Type.Array(FoundPassage) },
      },
      preHandler: async (request) => {
        request.search = await prepareSearch(request.scope, searched, request.body)
      },
    },
    ({ scope, body, search }) => searchPassages(scope, search!, body),
  )
}

import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { AgentParams } from '../agents/schema.ts'
import {
  type PreparedSearch,
  prepareMemorySearch,
  prepareSearch,
  type Searched,
  searchArchivalMemory,
  searchPassages,
} from './search.ts'
import { FoundMemories, FoundPassage, SearchArchivalMemory, SearchPassages } from './search-schema.ts'

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

/** `/v1/agents/{agent_id}/archival-memory/search` */
export const archivalMemorySearchRoutes = (searched: Searched) => async (app: App) => {
  app.get(
    '/:agent_id/archival-memory/search',
    {
      config: { outside: true },
      schema: {
        operationId: 'search_archival_memory',
        summary: "Search the passages of an agent's archive, the best first",
        tags: ['passages'],
        params: AgentParams,
        querystring: SearchArchivalMemory,
        response: { 200: FoundMemories },
      },
      preHandler: async (request) => {
        const { scope, params, query } = request
        request.search = await prepareMemorySearch(scope, searched, params.agent_id, query)
      },
    },
    ({ scope, search }) => searchArchivalMemory(scope, search!),
  )
}

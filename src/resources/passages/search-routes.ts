import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { AgentParams } from '../agents/schema.ts'
import type { Embedders } from '../models/embedding.ts'
import { type PreparedSearch, prepareSearch, searchArchivalMemory, searchPassages } from './search.ts'
import { FoundMemories, FoundPassage, SearchArchivalMemory, SearchPassages } from './search-schema.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Prepared before the handler, which may run in a transaction. */
    search?: PreparedSearch
  }
}

/** `/v1/passages` */
export const passageSearchRoutes = (embedders: Embedders) => async (app: App) => {
  app.post(
    '/search',
    {
      config: { right: 'read' },
      schema: {
        operationId: 'search_passages',
        summary: 'Search passages by vectors and words, the best first',
        tags: ['passages'],
        body: SearchPassages,
        response: { 200: Type.Array(FoundPassage) },
      },
      preHandler: async (request) => {
        request.search = await prepareSearch(request.scope, embedders, request.body)
      },
    },
    ({ scope, body, search }) => searchPassages(scope, search!, body),
  )
}

/** `/v1/agents/{agent_id}/archival-memory/search` */
export const archivalMemorySearchRoutes = (embedders: Embedders) => async (app: App) => {
  app.get(
    '/:agent_id/archival-memory/search',
    {
      schema: {
        operationId: 'search_archival_memory',
        summary: "Search the passages of an agent's archive, the best first",
        tags: ['passages'],
        params: AgentParams,
        querystring: SearchArchivalMemory,
        response: { 200: FoundMemories },
      },
      preHandler: async (request) => {
        const { query, search_mode } = request.query
        const wanted = { agent_id: request.params.agent_id, query, search_mode }
        request.search = await prepareSearch(request.scope, embedders, wanted)
      },
    },
    ({ scope, query, search }) => searchArchivalMemory(scope, search!, query),
  )
}

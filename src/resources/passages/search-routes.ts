import { Type } from 'typebox'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import { AgentParams } from '../agents/schema.ts'
import { prepareMemorySearch, prepareSearch, type SearchDeps, searchArchivalMemory, searchPassages } from './search.ts'
import { FoundMemories, FoundPassage, SearchArchivalMemory, SearchPassages } from './search-schema.ts'

/** `/v1/passages` */
export const passageSearchRoutes = (deps: SearchDeps) => async (app: App) => {
  app.post(
    '/search',
    prepared({
      config: { right: 'read', callsUpstream: true },
      schema: {
        operationId: 'search_passages',
        summary: 'Search passages by vectors and words, the best first',
        tags: ['passages'],
        body: SearchPassages,
        response: { 200: Type.Array(FoundPassage) },
      },
      prepare: ({ scope, body }) => prepareSearch(scope, deps, body),
      handle: ({ scope, body }, search) => searchPassages(scope, search, body),
    }),
  )
}

/** `/v1/agents/{agent_id}/archival-memory/search` */
export const archivalMemorySearchRoutes = (deps: SearchDeps) => async (app: App) => {
  app.get(
    '/:agent_id/archival-memory/search',
    prepared({
      config: { callsUpstream: true },
      schema: {
        operationId: 'search_archival_memory',
        summary: "Search the passages of an agent's archive, the best first",
        tags: ['passages'],
        params: AgentParams,
        querystring: SearchArchivalMemory,
        response: { 200: FoundMemories },
      },
      prepare: ({ scope, params, query }) => prepareMemorySearch(scope, deps, params.agent_id, query),
      handle: ({ scope }, search) => searchArchivalMemory(scope, search),
    }),
  )
}

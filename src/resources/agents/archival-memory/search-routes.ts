import type { App } from '../../../http/server.ts'
import { prepareMemorySearch, type Searched, searchArchivalMemory } from '../../passages/search.ts'
import { FoundMemories, SearchArchivalMemory } from '../../passages/search-schema.ts'
import { AgentParams } from '../schema.ts'

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

import { operationsOf } from '../../../http/operation.ts'
import { prepared } from '../../../http/prepared.ts'
import type { App } from '../../../http/server.ts'
import { prepareMemorySearch, type SearchDeps } from '../../passages/prepare-search.ts'
import { searchArchivalMemory } from '../../passages/search.ts'
import { FoundMemories, SearchArchivalMemory } from '../../passages/search-schema.ts'
import { AgentParams } from '../schema.ts'

/** `/v1/agents/{agent_id}/archival-memory/search` */
export const archivalMemorySearchRoutes = (deps: SearchDeps) => async (app: App) => {
  app.get(
    '/:agent_id/archival-memory/search',
    prepared({
      ...operationsOf('passages')(
        'search_archival_memory',
        "Search the passages of an agent's archive, the best first",
        { params: AgentParams, querystring: SearchArchivalMemory, response: { 200: FoundMemories } },
        { callsUpstream: true },
      ),
      prepare: ({ scope, params, query }) => prepareMemorySearch(scope, deps, params.agent_id, query),
      handle: ({ scope }, search) => searchArchivalMemory(scope, search),
    }),
  )
}

import { Type } from 'typebox'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import { prepareSearch, type SearchDeps } from './prepare-search.ts'
import { searchPassages } from './search.ts'
import { FoundPassage, SearchPassages } from './search-schema.ts'

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

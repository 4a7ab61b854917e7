import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import { callerGone } from '../../http/sse.ts'
import type { KeyedSemaphore } from '../../lib/keyed-semaphore.ts'
import { prepareSearch, type SearchDeps } from './prepare-search.ts'
import { searchPassages } from './search.ts'
import { FoundPassage, SearchPassages } from './search-schema.ts'

const operations = operationsOf('passages', {
  search_passages: [
    'Search passages by vectors and words, the best first',
    { body: SearchPassages, response: { 200: Type.Array(FoundPassage) } },
    { right: 'read', callsUpstream: true },
  ],
})

/** `/v1/passages` */
export const passageSearchRoutes = (deps: SearchDeps & { searchTurns: KeyedSemaphore }) => async (app: App) => {
  app.post(
    '/search',
    prepared({
      ...operations.search_passages,
      prepare: ({ scope, body }) => prepareSearch(scope, deps, body),
      handle: ({ scope, body }, search, reply) =>
        deps.searchTurns(scope.organizationId, () => searchPassages(scope, search, body, callerGone(reply))),
    }),
  )
}

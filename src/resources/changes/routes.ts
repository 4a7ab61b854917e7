import { Type } from 'typebox'
import { refuseLetta } from '../../http/letta.ts'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { listChanges } from './changes.ts'
import { Change, ListChanges } from './schema.ts'

const operations = operationsOf('changes', {
  list_changes: [
    'List the changes of all resources that the key may read, newest first: who made each, and which fields it changed. A page of large changes ends before its limit: the header `Link` has the next one',
    { querystring: ListChanges, response: { 200: Type.Array(Ref(Change)) } },
  ],
})

/** `/v1/changes` */
export async function changeRoutes(app: App) {
  app.addHook('onRequest', refuseLetta)
  app.get('/', operations.list_changes, ({ scope, query }) => listChanges(scope, query))
}

import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { NoContent, Ref } from '../../lib/wire.ts'
import { deletePassage, retrievePassage } from '../passages/passages.ts'
import { IncludeVectors } from '../passages/query.ts'
import { Passage } from '../passages/schema.ts'
import { ArchivePassageParams as params } from './schema.ts'

const operation = operationsOf('passages')

/** `/v1/archives/{archive_id}/passages/{passage_id}` */
export async function passageRoutes(app: App) {
  app.get(
    '/:archive_id/passages/:passage_id',
    operation('retrieve_passage', 'Retrieve a passage of an archive', {
      params,
      querystring: IncludeVectors,
      response: { 200: Ref(Passage) },
    }),
    ({ scope, params, query }) => retrievePassage(scope, params.archive_id, params.passage_id, query),
  )

  app.delete(
    '/:archive_id/passages/:passage_id',
    operation('delete_passage', 'Delete a passage of an archive', { params, response: { 204: NoContent } }),
    async ({ scope, params }, reply) => {
      await deletePassage(scope, params.archive_id, params.passage_id)
      reply.code(204)
    },
  )
}

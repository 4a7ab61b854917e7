import type { App } from '../../http/server.ts'
import { Id, Params } from '../../lib/wire.ts'
import { EmbeddingState, embedAgain, embeddingStateOf } from './embedding-state.ts'

const response = { 200: EmbeddingState }

/** What has passages: its path, its name, its tag. */
const CONTAINERS = [
  { path: '/archives/:archive_id', noun: 'archive', tags: ['archives'], params: Params({ archive_id: Id('archive') }) },
  { path: '/folders/:folder_id', noun: 'folder', tags: ['folders'], params: Params({ folder_id: Id('source') }) },
]

/** `/v1/archives/{archive_id}/embedding` and `/v1/folders/{folder_id}/embedding` */
export async function embeddingRoutes(app: App) {
  for (const { path, noun, tags, params } of CONTAINERS) {
    app.get(
      `${path}/embedding`,
      {
        schema: {
          operationId: `retrieve_embedding_of_${noun}`,
          summary: `Tell how far the passages of ${noun === 'archive' ? 'an archive' : 'a folder'} are embedded`,
          tags,
          params,
          response,
        },
      },
      (request) => embeddingStateOf(request.scope, Object.values(request.params as object)[0]),
    )

    app.post(
      `${path}/embedding`,
      {
        schema: {
          operationId: `retry_embedding_of_${noun}`,
          summary: `Embed the passages of ${noun === 'archive' ? 'an archive' : 'a folder'} that lack a vector, as after a failure`,
          tags,
          params,
          response,
        },
      },
      (request) => embedAgain(request.scope, Object.values(request.params as object)[0]),
    )
  }
}

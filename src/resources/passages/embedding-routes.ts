import { operationOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Id, Params } from '../../lib/wire.ts'
import { EmbeddingState, embedAgain, embeddingStateOf } from './embedding-state.ts'

/** What has passages: its name, with its article, and the prefix of its ids. */
const CONTAINERS = [
  { noun: 'archive', named: 'an archive', prefix: 'archive' },
  { noun: 'folder', named: 'a folder', prefix: 'source' },
] as const

/** `/v1/archives/{archive_id}/embedding` and `/v1/folders/{folder_id}/embedding` */
export async function embeddingRoutes(app: App) {
  for (const { noun, named, prefix } of CONTAINERS) {
    const path = `/${noun}s/:${noun}_id/embedding`
    const schema = { params: Params({ [`${noun}_id`]: Id(prefix) }), response: { 200: EmbeddingState } }
    const operation = (verb: string, summary: string) =>
      operationOf(`${noun}s`, `${verb}_embedding_of_${noun}`, summary, schema)

    app.get(path, operation('retrieve', `Report how far the passages of ${named} are embedded`), ({ scope, params }) =>
      embeddingStateOf(scope, params[`${noun}_id`]!),
    )

    app.post(
      path,
      operation('retry', `Embed the passages of ${named} that lack a vector, as after a failure`),
      ({ scope, params }) => embedAgain(scope, params[`${noun}_id`]!),
    )
  }
}

import { ApiError } from '../lib/errors.ts'
import { isFinal } from '../llm/connection.ts'
import type { Embedders } from '../resources/models/embedding.ts'
import { setEmbeddingError } from '../resources/passages/container.ts'
import { embedLacking } from '../resources/passages/reembed.ts'
import type { Work } from './work.ts'

const OUR_FAULT = 'An error of the server, which its log tells.'

/** Embeds the passages of an archive or a folder that lack a vector of its model, turn by turn. */
export const embedContainer = (embedders: Embedders): Work<'embed_container'> => ({
  concurrency: 2,
  async handler(scope, { container_id, after = '' }, signal) {
    try {
      const next = await embedLacking(scope, embedders, container_id, after, signal)
      if (next === undefined) return
      await setEmbeddingError(scope, container_id, null)
      await scope.enqueue('embed_container', { container_id, after: next }, container_id)
    } catch (error) {
      // Reported at once, although the job is retried.
      if (error instanceof ApiError) await setEmbeddingError(scope, container_id, error.message)
      if (!isFinal(error)) throw error
    }
  },
  onExhausted: (scope, { container_id }, reason = OUR_FAULT) => setEmbeddingError(scope, container_id, reason),
})

import type { VectorStores } from '../embed/stores.ts'
import { ApiError } from '../lib/errors.ts'
import { setStoreError, syncStore } from '../resources/passages/sync-store.ts'
import type { Work } from './work.ts'

/**
 * Brings the hosted store of an archive up to date with the archive's vectors. Retries go on for weeks, at last every five
 * minutes: vectors of a deleted archive must be removed once the store responds again.
 */
export function syncContainer(stores: VectorStores): Work<'sync_container'> {
  return {
    async handler(scope, { container_id }, signal) {
      try {
        await syncStore(scope, stores, container_id, signal)
      } catch (error) {
        if (!signal.aborted) {
          const publicMessage =
            error instanceof ApiError ? error.message : 'The hosted store could not be brought up to date.'
          await setStoreError(scope, container_id, publicMessage)
        }
        throw error
      }
      await setStoreError(scope, container_id, null)
    },
    concurrency: 4,
    options: { retryLimit: 10_000 },
  }
}

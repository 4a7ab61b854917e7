import type { VectorStores } from '../embed/stores.ts'
import { ApiError } from '../lib/errors.ts'
import { setStoreError, syncStore } from '../resources/passages/sync-store.ts'
import type { Work } from './work.ts'

/**
 * Brings the hosted store of an archive up to date with its vectors. It is tried for weeks, every five minutes in the
 * end: what a store still holds of a deleted archive must go once the store can be reached again.
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

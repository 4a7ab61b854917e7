import type { Egress } from '../lib/egress.ts'
import { isFinal } from '../llm/connection.ts'
import { fetchModels, storeModels } from '../resources/providers/sync.ts'
import type { Work } from './work.ts'

/** Lists the models of an organization's provider, and stores them. */
export const syncProvider = (egress: Egress): Work<'sync_provider'> => ({
  async handler(scope, { provider_id }, signal) {
    try {
      await storeModels(scope, provider_id, await fetchModels(scope, egress, provider_id, signal))
    } catch (error) {
      // The error is stored with the provider, unless the provider is deleted.
      if (!isFinal(error)) throw error
    }
  },
  concurrency: 2,
})

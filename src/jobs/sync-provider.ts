import type { Egress } from '../lib/egress.ts'
import { isFinal } from '../llm/connection.ts'
import { askForModels, keepModels } from '../resources/providers/sync.ts'
import type { Work } from './work.ts'

/** Lists the models of a provider of an organization's, and keeps them. */
export const syncProvider = (egress: Egress): Work<'sync_provider'> => ({
  async handler(scope, { provider_id }, signal) {
    try {
      await keepModels(scope, provider_id, await askForModels(scope, egress, provider_id, signal))
    } catch (error) {
      // It is noted on the provider; one that is gone has nothing to be noted.
      if (!isFinal(error)) throw error
    }
  },
  concurrency: 2,
})

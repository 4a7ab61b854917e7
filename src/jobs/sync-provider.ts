import type { Egress } from '../lib/egress.ts'
import { ApiError } from '../lib/errors.ts'
import { ProviderError } from '../llm/connection.ts'
import { askForModels, keepModels } from '../resources/providers/sync.ts'
import type { Work } from './workers.ts'

/** Whether listing the models of a provider again, with nothing changed, would fail again. */
function lasting(error: unknown): boolean {
  if (error instanceof ProviderError) return !error.passing
  return error instanceof ApiError && error.status < 500
}

/** Lists the models of a provider of an organization's, and keeps them. */
export const syncProvider = (egress: Egress): Work<'sync_provider'> => ({
  async handler(scope, { provider_id }, signal) {
    try {
      await keepModels(scope, provider_id, await askForModels(scope, egress, provider_id, signal))
    } catch (error) {
      // It is noted on the provider; one that is gone has nothing to be noted.
      if (!lasting(error)) throw error
    }
  },
  concurrency: 2,
})

import type { Scope } from '../../db/scope.ts'
import type { Egress } from '../../lib/egress.ts'
import { createSemaphore } from '../../lib/semaphore.ts'
import { fetchModels, storeModels } from '../providers/sync.ts'
import { knownProviders } from './known.ts'

/**
 * Lists the models of providers that an organization can name anew, all of them or those with these names. Call this function
 * outside of transactions. After a failure, which is stored with its provider, the old models stay.
 */
export type Relist = (scope: Scope, names?: readonly string[]) => Promise<void>

const AT_ONCE = 8
const TIMEOUT_MS = 10_000

/** Makes a `Relist`. `syncBase` lists the models of one of the server's own providers. */
export function createRelist(egress: Egress, syncBase: (name: string, signal: AbortSignal) => Promise<void>): Relist {
  const semaphore = createSemaphore(AT_ONCE)
  const running = new Map<string, Promise<void>>()

  /** Joins a listing of the provider that is running: however many callers wait, a provider is asked once at a time. */
  function join(key: string, list: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const listing =
      running.get(key) ??
      semaphore(() => list(AbortSignal.timeout(TIMEOUT_MS)))
        // The error is stored with the provider.
        .catch(() => {})
        .finally(() => running.delete(key))
    running.set(key, listing)
    return listing
  }

  return async (scope, names) => {
    const providers = await knownProviders(scope)
    await Promise.all(
      providers
        .filter(({ provider }) => names?.includes(provider) ?? true)
        .map(({ id, provider }) =>
          id === null
            ? join(provider, (signal) => syncBase(provider, signal))
            : join(`${scope.organizationId} ${id}`, async (signal) =>
                storeModels(scope, id, await fetchModels(scope, egress, id, signal)),
              ),
        ),
    )
  }
}

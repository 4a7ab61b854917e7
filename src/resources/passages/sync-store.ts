import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import type { HostedProvider, VectorStores } from '../../embed/stores.ts'
import type { VectorStore } from '../../embed/vector-store.ts'
import { configuredStore, namespaceOf } from './hosted.ts'
import { entriesOf, markSynced, nextChanges } from './hosted-changes.ts'

/** Brings a store up to date with an archive's vectors by one model. */
async function syncModel(
  scope: Scope,
  store: VectorStore,
  archiveId: string,
  model: string,
  signal: AbortSignal,
): Promise<void> {
  const namespace = namespaceOf(scope, archiveId, model)
  const [vector] = await scope.read(sql`
    select 1 from embeddings
    where organization_id = ${scope.organizationId} and container_id = ${archiveId} and model = ${model} limit 1`)
  // Nothing has to be removed from an empty namespace.
  let isEmpty = !vector
  if (isEmpty) await store.drop(namespace, signal)
  for (let after = ''; ; ) {
    signal.throwIfAborted()
    const changes = await nextChanges(scope, archiveId, model, after)
    // A change that was made meanwhile may have any id, so the end is reached when a pass from the start finds none.
    if (changes.length === 0 && after === '') return
    after = changes.at(-1)?.id ?? ''
    const ids = changes.map(({ id }) => id)
    const entries = await entriesOf(scope, model, ids)
    const present = new Set(entries.map(({ id }) => id))
    const { written = [], removed = [] } = Object.groupBy(changes, ({ id }) =>
      present.has(id) ? 'written' : 'removed',
    )
    if (entries.length > 0) {
      await store.write(namespace, entries, signal)
      isEmpty = false
    }
    const gone = ids.filter((id) => !present.has(id))
    if (gone.length > 0 && !isEmpty) await store.remove(namespace, gone, signal)
    await markSynced(scope, archiveId, model, { written, removed })
  }
}

/**
 * Brings the hosted store up to date with the vectors of an archive, also of a deleted archive. After an interruption at any
 * point, the next call continues.
 */
export async function syncStore(
  scope: Scope,
  stores: VectorStores,
  archiveId: string,
  signal: AbortSignal,
): Promise<void> {
  const due = await scope.query<{ model: string; provider: HostedProvider }>(sql`
    select distinct model, provider from hosted_vectors
    where organization_id = ${scope.organizationId} and container_id = ${archiveId} and changes > synced`)
  for (const { model, provider } of due) {
    await syncModel(scope, configuredStore(stores, provider), archiveId, model, signal)
  }
}

/** Stores why the hosted store could not be brought up to date; null: no error. */
export async function setStoreError(scope: Scope, archiveId: string, error: string | null): Promise<void> {
  await scope.query(sql`
    update archives set store_error = ${error}
    where organization_id = ${scope.organizationId} and id = ${archiveId} and store_error is distinct from ${error}`)
}

import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'

/**
 * Enqueues the sync of an archive's hosted store, in the scope's transaction. Every transaction that inserts,
 * changes or deletes passages or vectors of an archive, or deletes the archive, must call it. It does nothing for an archive without a hosted store.
 */
export async function enqueueSync(scope: Scope, archiveId: string): Promise<void> {
  const [change] = await scope.query(sql`
    select 1 from hosted_vectors
    where organization_id = ${scope.organizationId} and container_id = ${archiveId} and changes > synced limit 1`)
  if (change) await scope.enqueue('sync_container', { container_id: archiveId }, archiveId)
}

/** Enqueues the sync of the hosted stores of all archives of the organization, before the organization is deleted. */
export async function enqueueSyncOfAll(scope: Scope): Promise<void> {
  const archives = await scope.query<{ id: string }>(sql`
    select distinct container_id as id from hosted_vectors
    where organization_id = ${scope.organizationId} and changes > synced`)
  await scope.enqueueMany(
    'sync_container',
    archives.map(({ id }) => ({ data: { container_id: id }, key: id })),
  )
}

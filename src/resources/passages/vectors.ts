import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { enqueueSync } from './enqueue-sync.ts'

/** Vectors of passages by one model. */
export interface Vectors {
  /** See modelKey. */
  model: string
  vectors: readonly (readonly number[])[]
}

/** The vectors of one statement. An index takes ten milliseconds for each: others read an embedded database between statements. */
export const VECTORS_AT_ONCE = 16

/**
 * Adds the vectors of passages, in the order of `ids`, and enqueues the sync of the hosted store, if the archive has one. A
 * passage that has a vector of the model keeps it.
 */
export async function insertVectors(
  scope: Scope,
  containerId: string,
  ids: readonly string[],
  { model, vectors }: Vectors,
): Promise<void> {
  for (let at = 0; at < ids.length; at += VECTORS_AT_ONCE) {
    const batch = ids.slice(at, at + VECTORS_AT_ONCE)
    const texts = vectors.slice(at, at + VECTORS_AT_ONCE).map((vector) => `[${vector.join(',')}]`)
    await scope.query(sql`
      insert into embeddings (organization_id, passage_id, container_id, model, embedding)
      select ${scope.organizationId}, id, ${containerId}, ${model}, embedding::vector
      from unnest(${batch}::text[], ${texts}::text[]) as made (id, embedding)
      on conflict do nothing returning 1`)
  }
  await enqueueSync(scope, containerId)
}

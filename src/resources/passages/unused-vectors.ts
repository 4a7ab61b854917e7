import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { findContainer, modelKeyOf } from './container.ts'
import { enqueueSync } from './enqueue-sync.ts'

/** The most vectors that one transaction deletes. */
const AT_ONCE = 1000

/** Deletes some vectors of a model that the container doesn't use. Returns whether there may be more. */
const deleteSome = (scope: Scope, containerId: string, model: string): Promise<boolean> =>
  scope.transaction(async (tx) => {
    const container = await findContainer(tx, containerId, 'key share')
    if (!container) return false
    if ([container.embedding_config, container.serving_config].map(modelKeyOf).includes(model)) return false
    const deleted = await tx.query(sql`
      delete from embeddings where organization_id = ${tx.organizationId} and model = ${model} and passage_id in (
        select passage_id from embeddings
        where organization_id = ${tx.organizationId} and container_id = ${containerId} and model = ${model}
        limit ${AT_ONCE})
      returning 1`)
    await enqueueSync(tx, containerId)
    return deleted.length === AT_ONCE
  })

/** Deletes the vectors of models that are neither requested nor serve searches. */
export async function deleteUnusedVectors(scope: Scope, containerId: string): Promise<void> {
  for (let last = ''; ; ) {
    const [found] = await scope.read(sql<{ model: string }>`
      select model from embeddings
      where organization_id = ${scope.organizationId} and container_id = ${containerId} and model > ${last}
      order by model limit 1`)
    if (!found) return
    while (await deleteSome(scope, containerId, found.model));
    last = found.model
  }
}

import { sql } from 'kysely'
import type { Resource } from '../../db/resource.ts'
import type { Scope } from '../../db/scope.ts'
import { embeddingConfigOf } from '../models/handles.ts'
import type { EmbeddingConfig } from '../models/schema.ts'
import { answering, type Container, getContainer, keyOf } from './container.ts'

/** What a patch of an archive or a folder says of its model; null: none. */
interface ModelPatch {
  embedding?: string | null | undefined
  embedding_config?: EmbeddingConfig | null | undefined
}

/** The configuration a patch asks for. A handle names a model: how long pieces of files are stays as it was. */
async function askedFor(
  tx: Scope,
  patch: ModelPatch,
  { embedding_config: current }: Container,
): Promise<EmbeddingConfig | null> {
  const asked = (await embeddingConfigOf(tx, patch)) ?? null
  const length = current?.embedding_chunk_size
  return asked && !patch.embedding_config && length ? { ...asked, embedding_chunk_size: length } : asked
}

const hasVectors = async (tx: Scope, id: string, model: string) =>
  (
    await tx.query(sql`select 1 from embeddings
      where organization_id = ${tx.organizationId} and container_id = ${id} and model = ${model} limit 1`)
  ).length > 0

/**
 * Changes an archive or a folder. With another model its passages are embedded anew in the background, while the vectors
 * there are go on answering. 404, 412, and 422 for a handle this server doesn't know.
 */
export function modifyContainer<Wire>(
  scope: Scope,
  resource: Resource<Wire>,
  id: string,
  { embedding, embedding_config, ...patch }: ModelPatch & Record<string, unknown>,
): Promise<Wire> {
  if (embedding === undefined && embedding_config === undefined) return scope.update(resource, id, patch)
  return scope.transaction(async (tx) => {
    await tx.lock(resource, id)
    const container = await getContainer(tx, id)
    const asked = await askedFor(tx, { embedding, embedding_config }, container)
    const now = answering(container)
    const another = keyOf(asked) !== keyOf(container.embedding_config)
    // The one that answers is asked for again, or has nothing to answer with.
    const stays = !asked || !now || keyOf(asked) === keyOf(now) || !(await hasVectors(tx, id, keyOf(now)!))
    const serving = another ? { serving_config: stays ? null : now } : {}
    const changed = await tx.update(resource, id, {
      ...patch,
      embedding_config: asked,
      ...serving,
      embedding_error: null,
    })
    if (another || container.embedding_error) await tx.enqueue('embed_container', { container_id: id }, id)
    return changed
  })
}

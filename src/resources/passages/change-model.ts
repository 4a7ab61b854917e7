import { sql } from 'kysely'
import type { Resource } from '../../db/resource.ts'
import type { Scope } from '../../db/scope.ts'
import { embeddingConfigOf } from '../models/handles.ts'
import type { EmbeddingConfig } from '../models/schema.ts'
import { type Container, getContainer, modelKeyOf, servingConfig } from './container.ts'

/** The model in a patch of an archive or a folder; null: no model. */
interface ModelPatch {
  embedding?: string | null | undefined
  embedding_config?: EmbeddingConfig | null | undefined
}

/** The configuration that a patch requests. A handle names a model alone, so the length of chunks stays unchanged. */
async function requestedConfig(
  tx: Scope,
  patch: ModelPatch,
  { embedding_config: current }: Container,
): Promise<EmbeddingConfig | null> {
  const config = (await embeddingConfigOf(tx, patch)) ?? null
  const length = current?.embedding_chunk_size
  return config && !patch.embedding_config && length ? { ...config, embedding_chunk_size: length } : config
}

const hasVectors = async (tx: Scope, id: string, model: string) =>
  (
    await tx.query(sql`select 1 from embeddings
      where organization_id = ${tx.organizationId} and container_id = ${id} and model = ${model} limit 1`)
  ).length > 0

/** The columns of an archive or a folder that follow from its model. */
interface ModelColumns {
  embedding_config?: EmbeddingConfig | null
  serving_config?: EmbeddingConfig | null
  embedding_error?: null
}

/**
 * Changes an archive or a folder by `write`, with the columns that follow from its model. For another model, the passages are
 * embedded again in the background; until then the present vectors go on serving searches. 404, 412, and 422 for an unknown
 * handle.
 */
export function modifyContainer<Wire>(
  scope: Scope,
  resource: Resource,
  id: string,
  { embedding, embedding_config }: ModelPatch,
  write: (scope: Scope, columns: ModelColumns) => Promise<Wire>,
): Promise<Wire> {
  if (embedding === undefined && embedding_config === undefined) return write(scope, {})
  return scope.locking(resource, id, async (tx) => {
    const container = await getContainer(tx, id)
    const requested = await requestedConfig(tx, { embedding, embedding_config }, container)
    const serving = servingConfig(container)
    const isChange = modelKeyOf(requested) !== modelKeyOf(container.embedding_config)
    // The serving model is requested again, or it has no vectors.
    const stays =
      !requested ||
      !serving ||
      modelKeyOf(requested) === modelKeyOf(serving) ||
      !(await hasVectors(tx, id, modelKeyOf(serving)!))
    const changed = await write(tx, {
      embedding_config: requested,
      ...(isChange && { serving_config: stays ? null : serving }),
      embedding_error: null,
    })
    if (isChange || container.embedding_error) await tx.enqueue('embed_container', { container_id: id }, id)
    return changed
  })
}

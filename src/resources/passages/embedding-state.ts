import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import { nounOf } from '../../lib/ids.ts'
import { OneOf, Ref } from '../../lib/wire.ts'
import { EmbeddingConfig } from '../models/schema.ts'
import { answering, type Container, containerResource } from './container.ts'

const { Optional } = Type

/** How far the embedding of an archive's or a folder's passages is. */
export const EmbeddingState = Type.Object(
  {
    status: OneOf(['ready', 'embedding', 'failed']),
    total: Type.Integer({ description: 'How many passages there are.' }),
    embedded: Type.Integer({ description: 'How many of them have a vector of the model asked for.' }),
    error_message: Optional(Type.String({ description: 'Why the embedding failed.' })),
    embedding_config: Optional(Ref(EmbeddingConfig)),
    serving_config: Optional(Ref(EmbeddingConfig)),
  },
  { additionalProperties: false },
)
export type EmbeddingState = Static<typeof EmbeddingState>

/** How far the embedding of the passages of an archive or a folder is, by which model, and what answers. 404. */
export async function embeddingStateOf(scope: Scope, id: string): Promise<EmbeddingState> {
  const [found] = await scope.query(sql<Container & { total: number; embedded: number }>`
    select embedding_config, serving_config, embedding_error,
      (select count(*) from passages
        where passages.organization_id = container.organization_id and passages.container_id = container.id) as total,
      (select count(*) from embeddings
        where embeddings.organization_id = container.organization_id and embeddings.container_id = container.id
          and embeddings.model = embedding_model(container.embedding_config)) as embedded
    from ${sql.table(containerResource(id).table)} as container
    where organization_id = ${scope.organizationId} and id = ${id}`)
  if (!found) throw notFound(nounOf(id), id)
  const { total, embedded, embedding_config, serving_config, embedding_error } = found
  const behind = embedding_config !== null && (serving_config !== null || embedded < total)
  return {
    status: embedding_error !== null ? 'failed' : behind ? 'embedding' : 'ready',
    total,
    embedded,
    ...(embedding_error !== null && { error_message: embedding_error }),
    ...(embedding_config && { embedding_config }),
    ...(embedding_config && { serving_config: answering(found)! }),
  }
}

/** Has the passages embedded that lack a vector, as after a failure. 404. */
export const embedAgain = (scope: Scope, id: string): Promise<EmbeddingState> =>
  scope.transaction(async (tx) => {
    await tx.query(sql`update ${sql.table(containerResource(id).table)} set embedding_error = null
      where organization_id = ${tx.organizationId} and id = ${id} and embedding_error is not null`)
    const state = await embeddingStateOf(tx, id)
    if (state.status === 'embedding') await tx.enqueue('embed_container', { container_id: id }, id)
    return state
  })

import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { isUnderWay } from '../../db/jobs.ts'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import { nounOf } from '../../lib/ids.ts'
import { Closed, OneOf, Ref } from '../../lib/wire.ts'
import { EmbeddingConfig } from '../models/schema.ts'
import { type Container, containerTable, isArchive, servingConfig } from './container.ts'
import { enqueueSync } from './enqueue-sync.ts'

const { Optional } = Type

/** The progress of embedding the passages of an archive or a folder, and of syncing the hosted store of an archive. */
export const EmbeddingState = Closed({
  status: OneOf(['ready', 'embedding', 'failed']),
  total: Type.Integer({ description: 'How many passages there are.' }),
  embedded: Type.Integer({ description: 'How many of them have a vector of the model asked for.' }),
  error_message: Optional(
    Type.String({
      description:
        'Why the embedding failed, or failed last and is tried again (status embedding), or why the hosted store could not be brought up to date.',
    }),
  ),
  embedding_config: Optional(Ref(EmbeddingConfig)),
  serving_config: Optional(Ref(EmbeddingConfig)),
})
export type EmbeddingState = Static<typeof EmbeddingState>

interface State {
  total: number
  embedded: number
  store_error: string | null
  /** Whether the store hasn't seen some change. */
  unsynced: boolean
}

/** The columns of the hosted store, which only an archive may have. */
const storeColumns = ({ organizationId }: Scope, id: string) =>
  isArchive(id)
    ? sql`store_error, exists (select from hosted_vectors
        where hosted_vectors.organization_id = ${organizationId} and container_id = container.id
          and changes > synced and model = embedding_model(container.embedding_config)) as unsynced`
    : sql`null as store_error, false as unsynced`

/** The progress of embedding the passages of an archive or a folder, with the requested and the serving model. 404. */
export async function embeddingStateOf(scope: Scope, id: string): Promise<EmbeddingState> {
  const [found] = await scope.read(sql<Container & State>`
    select embedding_config, serving_config, embedding_error,
      (select count(*) from passages
        where passages.organization_id = ${scope.organizationId} and passages.container_id = container.id) as total,
      (select count(*) from embeddings
        where embeddings.organization_id = ${scope.organizationId} and embeddings.container_id = container.id
          and embeddings.model = embedding_model(container.embedding_config)) as embedded,
      ${storeColumns(scope, id)}
    from ${containerTable(id)} as container
    where organization_id = ${scope.organizationId} and id = ${id}`)
  if (!found) throw notFound(nounOf(id), id)
  // Jobs have no organization, so they are not joined.
  const [job] = await scope.read(
    sql<{ pending: boolean }>`select ${isUnderWay('embed_container', sql`${id}`)} as pending`,
  )
  const { total, embedded, unsynced, embedding_config, serving_config } = found
  const error = found.embedding_error ?? found.store_error
  const failed = found.store_error !== null || (found.embedding_error !== null && !job!.pending)
  const behind = embedding_config !== null && (serving_config !== null || embedded < total || unsynced)
  return {
    status: failed ? 'failed' : behind ? 'embedding' : 'ready',
    total,
    embedded,
    ...(error !== null && { error_message: error }),
    ...(embedding_config && { embedding_config }),
    ...(embedding_config && { serving_config: servingConfig(found)! }),
  }
}

/** Enqueues the embedding of passages without a vector and the sync of the hosted store, as after a failure. 404. */
export const embedAgain = (scope: Scope, id: string): Promise<EmbeddingState> =>
  scope.transaction(async (tx) => {
    const errors = isArchive(id) ? ['embedding_error', 'store_error'] : ['embedding_error']
    await tx.query(sql`update ${containerTable(id)} set ${sql.join(errors.map((name) => sql`${sql.ref(name)} = null`))}
      where organization_id = ${tx.organizationId} and id = ${id} and coalesce(${sql.join(errors.map(sql.ref))}) is not null`)
    const state = await embeddingStateOf(tx, id)
    if (state.status === 'embedding') await tx.enqueue('embed_container', { container_id: id }, id)
    if (isArchive(id)) await enqueueSync(tx, id)
    return state
  })

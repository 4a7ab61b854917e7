import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { isUnderWay } from '../../db/jobs.ts'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import { nounOf } from '../../lib/ids.ts'
import { OneOf, Ref } from '../../lib/wire.ts'
import { EmbeddingConfig } from '../models/schema.ts'
import { type Container, containerTable, isArchive, servingConfig } from './container.ts'
import { enqueueSync } from './hosted.ts'

const { Optional } = Type

/** How far the embedding of an archive's or a folder's passages is, and the way of an archive's to its hosted store. */
export const EmbeddingState = Type.Object(
  {
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
  },
  { additionalProperties: false },
)
export type EmbeddingState = Static<typeof EmbeddingState>

interface State {
  total: number
  embedded: number
  /** Whether the embedding is yet to be tried, or tried again. */
  pending: boolean
  store_error: string | null
  /** Whether the store has still to see some change. */
  unsynced: boolean
}

/** What only archives have, by their names: they may lie in a hosted store. */
const ofStore = (id: string) =>
  isArchive(id)
    ? sql`store_error, exists (select from hosted_vectors
        where hosted_vectors.organization_id = container.organization_id and container_id = container.id
          and changes > synced and model = embedding_model(container.embedding_config)) as unsynced`
    : sql`null as store_error, false as unsynced`

/** How far the embedding of the passages of an archive or a folder is, by which model, and what answers. 404. */
export async function embeddingStateOf(scope: Scope, id: string): Promise<EmbeddingState> {
  const [found] = await scope.query(sql<Container & State>`
    select embedding_config, serving_config, embedding_error,
      (select count(*) from passages
        where passages.organization_id = container.organization_id and passages.container_id = container.id) as total,
      (select count(*) from embeddings
        where embeddings.organization_id = container.organization_id and embeddings.container_id = container.id
          and embeddings.model = embedding_model(container.embedding_config)) as embedded,
      ${isUnderWay('embed_container', sql`container.id`)} as pending,
      ${ofStore(id)}
    from ${containerTable(id)} as container
    where organization_id = ${scope.organizationId} and id = ${id}`)
  if (!found) throw notFound(nounOf(id), id)
  const { total, embedded, pending, unsynced, embedding_config, serving_config } = found
  const error = found.embedding_error ?? found.store_error
  const failed = found.store_error !== null || (found.embedding_error !== null && !pending)
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

/** Has the passages embedded that lack a vector, and the hosted store brought up to date, as after a failure. 404. */
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

import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import type { Embedders } from '../models/embedding.ts'
import { containerTable, findContainer, type LockMode, modelKeyOf } from './container.ts'
import { embedTexts } from './embed.ts'
import { deleteUnusedVectors } from './unused-vectors.ts'
import { insertVectors, type Vectors } from './vectors.ts'

/** The texts in memory, and the vectors that one transaction writes. */
const AT_ONCE = 64

/** The passages that one turn embeds, before the jobs of other organizations have their turns. */
const PASSAGES_PER_TURN = 1024

/**
 * Passages without a vector of the model, by id, beyond `after`. `is not true` keeps the planner from a join, which may
 * compare every passage with every vector where there are no statistics: each vector is looked up.
 */
const withoutVector = (scope: Scope, containerId: string, model: string, after: string, limit: number) =>
  scope.read(sql<{ id: string; text: string }>`
    select id, text from passages
    where organization_id = ${scope.organizationId} and container_id = ${containerId} and id > ${after}
      and exists (select from embeddings where embeddings.organization_id = ${scope.organizationId}
        and embeddings.container_id = passages.container_id and embeddings.passage_id = passages.id
        and embeddings.model = ${model}) is not true
    order by id limit ${limit}`)

/** A transaction in which the container keeps this model. Returns undefined for another model, or without the container. */
const whileModel = <T>(
  scope: Scope,
  id: string,
  model: string | undefined,
  lock: LockMode,
  work: (tx: Scope) => Promise<T>,
): Promise<T | undefined> =>
  scope.transaction(async (tx) => {
    const container = await findContainer(tx, id, lock)
    return container && modelKeyOf(container.embedding_config) === model ? work(tx) : undefined
  })

/** Stores the vectors of those passages that still exist. */
async function storeVectors(tx: Scope, containerId: string, ids: readonly string[], { model, vectors }: Vectors) {
  const rows = await tx.query(sql<{ id: string }>`
    select id from passages
    where organization_id = ${tx.organizationId} and container_id = ${containerId} and id = any(${ids}::text[])
    order by id for key share`)
  const vectorOf = new Map(ids.map((id, at) => [id, vectors[at]!]))
  const present = rows.map(({ id }) => id)
  await insertVectors(tx, containerId, present, { model, vectors: present.map((id) => vectorOf.get(id)!) })
  return true
}

/** Lets the new vectors serve searches, if every passage has one. Returns whether they do. */
async function settle(tx: Scope, containerId: string, model: string | undefined): Promise<boolean> {
  if (model !== undefined && (await withoutVector(tx, containerId, model, '', 1)).length > 0) return false
  await tx.query(sql`update ${containerTable(containerId)} set serving_config = null, embedding_error = null
    where organization_id = ${tx.organizationId} and id = ${containerId}`)
  return true
}

/**
 * Embeds one turn of the passages of an archive or a folder that have no vector of its model, from the ids beyond `start` on.
 * When every passage has one, the new vectors serve searches, and the vectors of other models are deleted. Returns the start
 * of the next turn; undefined when all is done, or when the model has changed, which has a job of its own. After an
 * interruption at any point, the next call continues. Throws the embedder's error.
 */
export async function embedLacking(
  scope: Scope,
  embedders: Embedders,
  containerId: string,
  start: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const container = await findContainer(scope, containerId)
  if (!container) return undefined
  const { embedding_config: config } = container
  const model = modelKeyOf(config)
  let after = start
  for (let embedded = 0; config; ) {
    const batch = await withoutVector(scope, containerId, model!, after, AT_ONCE)
    // A passage that was made meanwhile may have any id, so the end is reached when a pass from the start finds none.
    if (batch.length === 0 && after === '') break
    if (embedded >= PASSAGES_PER_TURN) return after
    after = batch.at(-1)?.id ?? ''
    if (batch.length === 0) continue
    const texts = batch.map(({ text }) => text)
    const ids = batch.map(({ id }) => id)
    const vectors = await embedTexts(scope, embedders, config, texts, signal)
    const store = (tx: Scope) => storeVectors(tx, containerId, ids, vectors)
    if (!(await whileModel(scope, containerId, model, 'key share', store))) return
    embedded += batch.length
  }
  const settled = await whileModel(scope, containerId, model, 'update', (tx) => settle(tx, containerId, model))
  if (settled) await deleteUnusedVectors(scope, containerId)
  return settled === false ? '' : undefined
}

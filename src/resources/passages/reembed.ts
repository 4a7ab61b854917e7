import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import type { Embedders } from '../models/embedding.ts'
import { containerTable, findContainer, modelKeyOf } from './container.ts'
import { embedTexts } from './embed.ts'
import { enqueueSync } from './hosted.ts'
import { insertVectors, type Vectors } from './insert.ts'

/** As many texts as are held at once, and as many vectors as one transaction writes. */
const AT_ONCE = 64

/** As many passages as one turn embeds: then another organization's have theirs. */
const A_TURN = 1024

/** As many vectors as one transaction deletes. */
const DELETED_AT_ONCE = 1000

interface Lacking {
  id: string
  text: string
}

/**
 * Passages without a vector of the model, by id, from beyond `after` on. Each is looked up: made a join, which it would be
 * without `is not true`, every passage may be compared with every vector where there are no statistics.
 */
const lacking = (scope: Scope, containerId: string, model: string, after: string, limit: number): Promise<Lacking[]> =>
  scope.query(sql<Lacking>`
    select id, text from passages
    where organization_id = ${scope.organizationId} and container_id = ${containerId} and id > ${after}
      and exists (select from embeddings where embeddings.organization_id = passages.organization_id
        and embeddings.container_id = passages.container_id and embeddings.passage_id = passages.id
        and embeddings.model = ${model}) is not true
    order by id limit ${limit}`)

/** A transaction in which the container keeps this model. Returns undefined when it has another by now, or is gone. */
const during = <T>(
  scope: Scope,
  id: string,
  model: string | undefined,
  hold: 'key share' | 'update',
  work: (tx: Scope) => Promise<T>,
): Promise<T | undefined> =>
  scope.transaction(async (tx) => {
    const container = await findContainer(tx, id, hold)
    return container && modelKeyOf(container.embedding_config) === model ? work(tx) : undefined
  })

/** Keeps the vectors of those passages that are still there. */
async function keep(tx: Scope, containerId: string, ids: readonly string[], { model, vectors }: Vectors) {
  const rows = await tx.query(sql<{ id: string }>`
    select id from passages
    where organization_id = ${tx.organizationId} and container_id = ${containerId} and id = any(${ids}::text[])
    order by id for key share`)
  const there = new Set(rows.map(({ id }) => id))
  const stay = ids.map((id) => there.has(id))
  await insertVectors(
    tx,
    containerId,
    ids.filter((_, at) => stay[at]),
    { model, vectors: vectors.filter((_, at) => stay[at]) },
  )
  return true
}

/** Has the new vectors answer, when every passage has one. Returns whether they do. */
async function settle(tx: Scope, containerId: string, model: string | undefined): Promise<boolean> {
  if (model !== undefined && (await lacking(tx, containerId, model, '', 1)).length > 0) return false
  await tx.query(sql`update ${containerTable(containerId)}
    set serving_config = null, embedding_error = null
    where organization_id = ${tx.organizationId} and id = ${containerId}`)
  return true
}

/** Deletes some vectors of a model the container has no use for. Returns whether there may be more. */
const deleteSome = (scope: Scope, containerId: string, model: string): Promise<boolean> =>
  scope.transaction(async (tx) => {
    const container = await findContainer(tx, containerId, 'key share')
    if (!container || [modelKeyOf(container.embedding_config), modelKeyOf(container.serving_config)].includes(model))
      return false
    const gone = await tx.query(sql`
      delete from embeddings where organization_id = ${tx.organizationId} and model = ${model} and passage_id in (
        select passage_id from embeddings
        where organization_id = ${tx.organizationId} and container_id = ${containerId} and model = ${model}
        limit ${DELETED_AT_ONCE})
      returning 1`)
    await enqueueSync(tx, containerId)
    return gone.length === DELETED_AT_ONCE
  })

/** Deletes the vectors of models that neither answer nor are asked for. */
async function deleteOthers(scope: Scope, containerId: string): Promise<void> {
  for (let last = ''; ; ) {
    const [found] = await scope.query(sql<{ model: string }>`
      select model from embeddings
      where organization_id = ${scope.organizationId} and container_id = ${containerId} and model > ${last}
      order by model limit 1`)
    if (!found) return
    while (await deleteSome(scope, containerId, found.model));
    last = found.model
  }
}

/**
 * Embeds passages of an archive or a folder that lack a vector of its model, a turn of them: those whose ids follow
 * `start`. When none lacks one any more, the new vectors answer and those of other models are deleted. Returns where the
 * next turn goes on, or undefined when there is none: all is done, or the model has changed, which is another turn's.
 * Whatever it is stopped at, done again it goes on from there. Throws the embedder's error.
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
    const batch = await lacking(scope, containerId, model!, after, AT_ONCE)
    // Those made meanwhile may have any id.
    if (batch.length === 0 && after === '') break
    if (embedded >= A_TURN) return after
    after = batch.at(-1)?.id ?? ''
    if (batch.length === 0) continue
    const texts = batch.map(({ text }) => text)
    const vectors = await embedTexts(scope, embedders, config, texts, signal)
    const ids = batch.map(({ id }) => id)
    if (!(await during(scope, containerId, model, 'key share', (tx) => keep(tx, containerId, ids, vectors)))) return
    embedded += batch.length
  }
  const settled = await during(scope, containerId, model, 'update', (tx) => settle(tx, containerId, model))
  if (settled) await deleteOthers(scope, containerId)
  return settled === false ? '' : undefined
}

/** Notes why the passages could not be embedded; null: they can. */
export async function setEmbeddingError(scope: Scope, containerId: string, reason: string | null): Promise<void> {
  await scope.query(sql`update ${containerTable(containerId)} set embedding_error = ${reason}
    where organization_id = ${scope.organizationId} and id = ${containerId}
      and embedding_error is distinct from ${reason}`)
}

import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { type HostedProvider, STORE_SETTINGS, type VectorStores } from '../../embed/stores.ts'
import {
  MOST_HITS,
  type StoreEntry,
  type StoreHit,
  type StoreHits,
  type StoreQuery,
  type VectorStore,
} from '../../embed/vector-store.ts'
import { ApiError } from '../../lib/errors.ts'
import { modelKey } from '../models/embedding.ts'
import type { VectorDbProvider } from '../models/schema.ts'
import { tagsMatch } from '../tags/filter.ts'
import type { Container } from './container.ts'

/** Where the vectors of an archive are searched: those of the model that answers. */
export interface HostedArchive {
  archiveId: string
  provider: HostedProvider
  store: VectorStore
  /** Whose vectors these are: see modelKey. */
  model: string
  /** Whether the store has every passage: while another model is taking its place, some have no vector of it. */
  complete: boolean
  namespace: string
}

/** A namespace of its own for each model: its vectors have another length, and other neighbours. */
const namespaceOf = ({ organizationId }: Scope, archiveId: string, model: string) =>
  `${organizationId}_${archiveId}_${createHash('sha256').update(model).digest('hex').slice(0, 12)}`

function configured(stores: VectorStores, provider: HostedProvider): VectorStore {
  const store = stores[provider]
  if (store) return store
  throw new ApiError(
    'unavailable',
    `The archive lies in the hosted store ${provider}, which this server has no access to at the moment. Who runs the ` +
      `server must set ${STORE_SETTINGS[provider]}.`,
  )
}

/**
 * The hosted store that is to be searched for an archive; undefined where this database is: for an archive that lies
 * here, and while the store hasn't been brought up to date with the vectors, which are all here, too. 503 for a store
 * that isn't set up any more.
 */
export async function storeOf(
  scope: Scope,
  stores: VectorStores,
  archiveId: string,
): Promise<HostedArchive | undefined> {
  const [archive] = await scope.query<
    Pick<Container, 'serving_config' | 'embedding_config'> & { vector_db_provider: VectorDbProvider }
  >(sql`
    select vector_db_provider, serving_config, embedding_config from archives
    where organization_id = ${scope.organizationId} and id = ${archiveId} and not exists (
      select from hosted_vectors
      where organization_id = ${scope.organizationId} and container_id = ${archiveId} and changes > synced
        and model = embedding_model(coalesce(archives.serving_config, archives.embedding_config)))`)
  const config = archive?.serving_config ?? archive?.embedding_config
  if (!archive || !config || archive.vector_db_provider === 'native') return undefined
  const { vector_db_provider: provider, serving_config } = archive
  const model = modelKey(config)
  const store = configured(stores, provider)
  const namespace = namespaceOf(scope, archiveId, model)
  return { archiveId, provider, store, model, complete: serving_config === null, namespace }
}

/**
 * Has the hosted store of an archive brought up to date once the scope's transaction is committed: to be called in every
 * transaction that adds or removes passages or vectors of an archive, or the archive. One that lies here needs nothing.
 */
export async function enqueueSync(scope: Scope, archiveId: string): Promise<void> {
  const [due] = await scope.query(sql`
    select 1 from hosted_vectors
    where organization_id = ${scope.organizationId} and container_id = ${archiveId} and changes > synced limit 1`)
  if (due) await scope.enqueue('sync_container', { container_id: archiveId }, archiveId)
}

/** The same for all archives of the organization, which is being deleted. */
export async function enqueueSyncOfAll(scope: Scope): Promise<void> {
  const archives = await scope.query<{ id: string }>(sql`
    select distinct container_id as id from hosted_vectors
    where organization_id = ${scope.organizationId} and changes > synced`)
  await scope.enqueueMany(
    'sync_container',
    archives.map(({ id }) => ({ data: { container_id: id }, key: id })),
  )
}

/** Whether a passage bears the tags that are asked for: a store may leave that open. */
const fits = ({ tags = [], match }: StoreQuery): RawBuilder<boolean> =>
  tags.length === 0 ? sql`true` : tagsMatch(tags, match)

/**
 * Searches where an archive lies. A list holds no passage that isn't in the archive any more: for those that the store
 * still has, it is asked for more.
 */
export async function searchStore(
  scope: Scope,
  { archiveId, store, namespace }: HostedArchive,
  query: StoreQuery,
  signal?: AbortSignal,
): Promise<StoreHits> {
  const limit = Math.min(query.limit, MOST_HITS)
  for (let asked = limit; ; asked = Math.min(2 * asked, MOST_HITS)) {
    const found = await store.search(namespace, { ...query, limit: asked }, signal)
    const ids = [found.vector ?? [], found.text ?? []].flat().map(({ id }) => id)
    const rows = await scope.query<{ id: string }>(sql`
      select id from passages where organization_id = ${scope.organizationId} and container_id = ${archiveId}
        and id = any(${[...new Set(ids)]}::text[]) and ${fits(query)}`)
    const there = new Set(rows.map(({ id }) => id))
    const kept = (hits: StoreHit[]) => hits.filter(({ id }) => there.has(id)).slice(0, limit)
    const short = Object.values(found).some((hits) => hits.length === asked && kept(hits).length < limit)
    if (!short || asked === MOST_HITS) {
      return {
        ...(found.vector && { vector: kept(found.vector) }),
        ...(found.text && { text: kept(found.text) }),
      }
    }
  }
}

/** What is brought to a store at once: as many passages, with texts of so many bytes unless one alone has more. */
const AT_ONCE = 500
const BYTES_AT_ONCE = 8 * 1024 * 1024

/** A vector that came or went, and how often it has. */
interface Change {
  id: string
  changes: number
}

/** The next vectors that came or went, by id, from beyond `after` on. */
async function nextChanges(scope: Scope, archiveId: string, model: string, after: string): Promise<Change[]> {
  const due = await scope.query<Change & { bytes: number | null }>(sql`
    select passage_id as id, changes, (select octet_length(text) from passages
      where passages.organization_id = hosted_vectors.organization_id and passages.id = passage_id) as bytes
    from hosted_vectors
    where organization_id = ${scope.organizationId} and container_id = ${archiveId} and model = ${model}
      and changes > synced and passage_id > ${after}
    order by passage_id limit ${AT_ONCE}`)
  let bytes = 0
  const over = due.findIndex((change) => {
    bytes += change.bytes ?? 0
    return bytes > BYTES_AT_ONCE
  })
  return over < 0 ? due : due.slice(0, Math.max(over, 1))
}

/** Those of the passages that have a vector of the model, as a store takes them. */
async function entriesOf(scope: Scope, model: string, ids: readonly string[]): Promise<StoreEntry[]> {
  const rows = await scope.query<{
    id: string
    embedding: string
    text: string
    tags: string[]
    created_at: string
  }>(sql`
    select passages.id, embedding::text as embedding, text, tags, created_at
    from passages join embeddings
      on embeddings.organization_id = passages.organization_id and embeddings.passage_id = passages.id
    where passages.organization_id = ${scope.organizationId} and passages.id = any(${ids}::text[])
      and embeddings.organization_id = ${scope.organizationId} and embeddings.passage_id = any(${ids}::text[])
      and embeddings.model = ${model}`)
  return rows.map(({ embedding, created_at, ...row }) => ({
    ...row,
    vector: JSON.parse(embedding) as number[],
    created_at: new Date(created_at),
  }))
}

/** Notes that the store has seen changes. One that came meanwhile stays to be done. */
async function settle(
  scope: Scope,
  archiveId: string,
  model: string,
  { written, removed }: { written: Change[]; removed: Change[] },
): Promise<void> {
  const seen = (list: Change[]) =>
    sql`unnest(${list.map(({ id }) => id)}::text[], ${list.map(({ changes }) => changes)}::int[]) as seen (id, changes)`
  const same = sql`organization_id = ${scope.organizationId} and container_id = ${archiveId} and model = ${model}
    and passage_id = seen.id`
  if (written.length > 0) {
    await scope.query(sql`update hosted_vectors set synced = seen.changes from ${seen(written)} where ${same}`)
  }
  if (removed.length > 0) {
    await scope.query(sql`
      delete from hosted_vectors using ${seen(removed)} where ${same} and hosted_vectors.changes = seen.changes`)
  }
}

/** Brings what the store holds by one model up to date. */
async function syncModel(
  scope: Scope,
  store: VectorStore,
  archiveId: string,
  model: string,
  signal: AbortSignal,
): Promise<void> {
  const namespace = namespaceOf(scope, archiveId, model)
  const [left] = await scope.query(sql`
    select 1 from embeddings
    where organization_id = ${scope.organizationId} and container_id = ${archiveId} and model = ${model} limit 1`)
  // Empty: nothing has to be removed from it one by one.
  let empty = !left
  if (empty) await store.drop(namespace, signal)
  for (let after = ''; ; ) {
    signal.throwIfAborted()
    const changes = await nextChanges(scope, archiveId, model, after)
    // What came meanwhile may have any id.
    if (changes.length === 0 && after === '') return
    after = changes.at(-1)?.id ?? ''
    const entries = await entriesOf(
      scope,
      model,
      changes.map(({ id }) => id),
    )
    const there = new Set(entries.map(({ id }) => id))
    const written = changes.filter(({ id }) => there.has(id))
    const removed = changes.filter(({ id }) => !there.has(id))
    if (entries.length > 0) {
      await store.write(namespace, entries, signal)
      empty = false
    }
    if (removed.length > 0 && !empty) {
      await store.remove(
        namespace,
        removed.map(({ id }) => id),
        signal,
      )
    }
    await settle(scope, archiveId, model, { written, removed })
  }
}

/**
 * Brings the hosted store up to date with the vectors of an archive, also of one that is gone. Broken off at any point,
 * it is gone on with by being called again.
 */
export async function syncStore(
  scope: Scope,
  stores: VectorStores,
  archiveId: string,
  signal: AbortSignal,
): Promise<void> {
  const due = await scope.query<{ model: string; provider: HostedProvider }>(sql`
    select distinct model, provider from hosted_vectors
    where organization_id = ${scope.organizationId} and container_id = ${archiveId} and changes > synced`)
  for (const { model, provider } of due) {
    await syncModel(scope, configured(stores, provider), archiveId, model, signal)
  }
}

/** Keeps why the store could not be brought up to date; null: it is. */
export async function setStoreError(scope: Scope, archiveId: string, error: string | null): Promise<void> {
  await scope.query(sql`
    update archives set store_error = ${error}
    where organization_id = ${scope.organizationId} and id = ${archiveId} and store_error is distinct from ${error}`)
}

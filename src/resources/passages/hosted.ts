import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { type HostedProvider, STORE_SETTINGS, type VectorStores } from '../../embed/stores.ts'
import {
  MOST_HITS,
  type StoreHit,
  type StoreHits,
  type StoreQuery,
  type VectorStore,
} from '../../embed/vector-store.ts'
import { ApiError } from '../../lib/errors.ts'
import { modelKey } from '../models/embedding.ts'
import type { VectorDbProvider } from '../models/schema.ts'
import { tagsMatch } from '../tags/filter.ts'
import { type Container, servingConfig } from './container.ts'

/** An archive in a hosted store, with the vectors of its serving model. */
export interface HostedArchive {
  archiveId: string
  provider: HostedProvider
  store: VectorStore
  /** See modelKey. */
  model: string
  /** Whether the store has every passage: while the archive changes its model, some have no vector of the serving model. */
  complete: boolean
  namespace: string
}

/** The namespace of an archive's vectors by one model. Vectors of different models have different lengths. */
export const namespaceOf = ({ organizationId }: Scope, archiveId: string, model: string) =>
  `${organizationId}_${archiveId}_${createHash('sha256').update(model).digest('hex').slice(0, 12)}`

/** A store that is set up on this server. 503 for any other. */
export function configuredStore(stores: VectorStores, provider: HostedProvider): VectorStore {
  const store = stores[provider]
  if (store) return store
  throw new ApiError(
    'unavailable',
    `The archive lies in the hosted store ${provider}, which this server has no access to at the moment. Who runs the ` +
      `server must set ${STORE_SETTINGS[provider]}.`,
  )
}

/**
 * The hosted store in which an archive is searched; undefined: the archive is searched in this database, because it has no
 * hosted store, or because the store isn't up to date with the vectors. 503 for a store that isn't set up any more.
 */
export async function storeOf(
  scope: Scope,
  stores: VectorStores,
  archiveId: string,
): Promise<HostedArchive | undefined> {
  const [archive] = await scope.read<Container & { vector_db_provider: VectorDbProvider }>(sql`
    select vector_db_provider, serving_config, embedding_config from archives
    where organization_id = ${scope.organizationId} and id = ${archiveId} and not exists (
      select from hosted_vectors
      where organization_id = ${scope.organizationId} and container_id = ${archiveId} and changes > synced
        and model = embedding_model(coalesce(archives.serving_config, archives.embedding_config)))`)
  const config = archive && servingConfig(archive)
  if (!archive || !config || archive.vector_db_provider === 'native') return undefined
  const provider = archive.vector_db_provider
  const model = modelKey(config)
  const store = configuredStore(stores, provider)
  const namespace = namespaceOf(scope, archiveId, model)
  return { archiveId, provider, store, model, complete: archive.serving_config === null, namespace }
}

/**
 * Searches the hosted store of an archive, up to the limit of the store. A list has only passages that the archive still has
 * and that match the query's tags, which a store may ignore: for each missing hit the search asks the store for more.
 */
export async function searchStore(
  scope: Scope,
  { archiveId, store, namespace }: HostedArchive,
  query: StoreQuery,
  signal?: AbortSignal,
): Promise<StoreHits> {
  const { tags = [], match } = query
  const limit = Math.min(query.limit, MOST_HITS)
  for (let requested = limit; ; requested = Math.min(2 * requested, MOST_HITS)) {
    const found = await store.search(namespace, { ...query, limit: requested }, signal)
    const ids = [found.vector ?? [], found.text ?? []].flat().map(({ id }) => id)
    const rows = await scope.read<{ id: string }>(sql`
      select id from passages where organization_id = ${scope.organizationId} and container_id = ${archiveId}
        and id = any(${[...new Set(ids)]}::text[]) and ${tags.length === 0 ? sql`true` : tagsMatch(tags, match)}`)
    const present = new Set(rows.map(({ id }) => id))
    const kept = (hits: StoreHit[]) => hits.filter(({ id }) => present.has(id)).slice(0, limit)
    const short = Object.values(found).some((hits) => hits.length === requested && kept(hits).length < limit)
    if (!short || requested === MOST_HITS) {
      return { ...(found.vector && { vector: kept(found.vector) }), ...(found.text && { text: kept(found.text) }) }
    }
  }
}

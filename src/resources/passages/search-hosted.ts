import type { Scope } from '../../db/scope.ts'
import type { VectorStores } from '../../embed/stores.ts'
import type { StoreHit, StoreQuery } from '../../embed/vector-store.ts'
import { ApiError } from '../../lib/errors.ts'
import { depthOf } from '../../lib/ranking.ts'
import { type HostedArchive, searchStore, storeOf } from './hosted.ts'
import type { Filter, HostedHits } from './search-filter.ts'
import type { SearchMode } from './search-schema.ts'
import type { QueryVector } from './search-vectors.ts'

/** A search of the hosted store of an archive. */
interface HostedQuery {
  mode: SearchMode
  /** The vector of the archive's model; undefined: a search by words alone. */
  vector: QueryVector | undefined
  /** Undefined: a search by the vector alone. */
  words: string | undefined
  filter: Filter
  limit: number
}

/** The results of a hosted store. This database is searched for a list that is undefined. */
interface HostedResult {
  vector?: HostedHits
  words?: HostedHits
  /** Why the store wasn't searched, or failed. */
  error?: string
}

/** The time that a store has to respond. A search goes on without a late store. */
const TIMEOUT_MS = 10_000

/** Quotes and exclusions: operators here, but plain words to a store. */
const OPERATORS = /"|(?:^|\s)-\S/

const storeQuery = ({ store, model, complete }: HostedArchive, query: HostedQuery): StoreQuery => {
  const { vector, words, filter, limit } = query
  return {
    // The archive may have changed its model since the query was embedded.
    vector: vector?.model === model ? vector.vector : undefined,
    text: complete && store.searchesText && words !== undefined && !OPERATORS.test(words) ? words : undefined,
    tags: filter.tags,
    match: filter.allTags ? 'all' : 'any',
    from: filter.from,
    before: filter.before,
    limit: depthOf(limit),
  }
}

/**
 * Searches the hosted store of an archive, outside any transaction. A store that isn't up to date isn't searched, since this
 * database has all vectors too. A store that isn't set up any more is reported as the result's error. The error of a store
 * that fails is thrown for a search by vectors alone, and reported for any other search.
 */
export async function searchStoreOf(
  scope: Scope,
  stores: VectorStores,
  archiveId: string,
  search: HostedQuery,
): Promise<HostedResult> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const archive = await storeOf(scope, stores, archiveId)
    if (!archive) return {}
    const query = storeQuery(archive, search)
    if (!query.vector && query.text === undefined) return {}
    const found = await searchStore(scope, archive, query, signal).catch((error) => {
      if (!signal.aborted) throw error
      throw new ApiError('bad_gateway', `${archive.store.title} does not answer at the moment. Try again later.`)
    })
    const hitsOf = (hits: StoreHit[]): HostedHits => ({ index: archive.provider, hits })
    return { ...(found.vector && { vector: hitsOf(found.vector) }), ...(found.text && { words: hitsOf(found.text) }) }
  } catch (error) {
    if (!(error instanceof ApiError) || (search.mode === 'vector' && error.code !== 'unavailable')) throw error
    return { error: error.message }
  }
}

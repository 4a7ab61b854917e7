import type { Scope } from '../../db/scope.ts'
import type { VectorStores } from '../../embed/stores.ts'
import type { StoreHit, StoreQuery } from '../../embed/vector-store.ts'
import { ApiError } from '../../lib/errors.ts'
import { depthOf } from '../../lib/ranking.ts'
import { searchStore, storeOf } from './hosted.ts'
import type { SearchMode } from './search-schema.ts'
import type { Filter, HostedHits, QueryVector } from './search-statement.ts'

/** What is looked for where an archive lies. */
export interface HostedQuery {
  mode: SearchMode
  /** By the model of the archive; absent: by words alone. */
  vector: QueryVector | undefined
  /** Absent: by the vector alone. */
  words: string | undefined
  filter: Filter
  limit: number
}

/** What a hosted store has found. What it wasn't asked is to be looked for here. */
export interface HostedAnswer {
  vector?: HostedHits
  words?: HostedHits
  /** Why it wasn't asked, or didn't answer. */
  error?: string
}

/** How long a store may take, before a search does without it. */
const TIMEOUT_MS = 10_000

/** Words that a store would take for others: quotes and exclusions, which count here. */
const OPERATORS = /"|(?:^|\s)-\S/

/**
 * Asks the hosted store of an archive, outside of any transaction. A store that isn't up to date isn't asked: all vectors
 * are here, too. One that isn't set up any more is none; one that fails fails a search by vectors with its error, and any
 * other is told of it.
 */
export async function askStore(
  scope: Scope,
  stores: VectorStores,
  archiveId: string,
  { mode, vector, words, filter, limit }: HostedQuery,
): Promise<HostedAnswer> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const hosted = await storeOf(scope, stores, archiveId)
    if (!hosted) return {}
    const { provider, store, model, complete } = hosted
    const asked: StoreQuery = {
      // The model may have changed since.
      vector: vector?.model === model ? vector.vector : undefined,
      text: complete && store.searchesText && words !== undefined && !OPERATORS.test(words) ? words : undefined,
      tags: filter.tags,
      match: filter.allTags ? 'all' : 'any',
      from: filter.from,
      before: filter.before,
      limit: depthOf(limit),
    }
    if (!asked.vector && asked.text === undefined) return {}
    const hits = await searchStore(scope, hosted, asked, signal).catch((error) => {
      if (!signal.aborted) throw error
      throw new ApiError('bad_gateway', `${store.title} does not answer at the moment. Try again later.`)
    })
    const found = (list: StoreHit[]): HostedHits => ({ index: provider, hits: list })
    return { ...(hits.vector && { vector: found(hits.vector) }), ...(hits.text && { words: found(hits.text) }) }
  } catch (error) {
    if (!(error instanceof ApiError) || (mode === 'vector' && error.code !== 'unavailable')) throw error
    return { error: error.message }
  }
}

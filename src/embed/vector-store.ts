/** A vector with the text that is searched by words, and the columns that are filtered by. */
export interface StoreEntry {
  id: string
  vector: readonly number[]
  text: string
  tags: readonly string[]
  created_at: Date
}

export interface StoreQuery {
  /** Search near this vector. */
  vector?: readonly number[] | undefined
  /** Search by these words. */
  text?: string | undefined
  /** Only entries with any of these tags, or with all. Without tags: every entry. */
  tags?: readonly string[] | undefined
  match?: 'any' | 'all' | undefined
  /** Only entries made at that instant or later. */
  from?: Date | undefined
  /** Only entries made earlier. */
  before?: Date | undefined
  /** The most hits of each list: at most MOST_HITS. */
  limit: number
}

/** An entry that a search found, with the score of its index: the higher, the better. */
export interface StoreHit {
  id: string
  score: number
}

/** Hits, best first: by the cosine to the vector, and by words. A list is undefined unless the query asks for it. */
export interface StoreHits {
  vector?: StoreHit[]
  text?: StoreHit[]
}

/**
 * A hosted store of vectors. A namespace has vectors of one model, and exists from its first write on. Tags and instants are
 * compared before the limit counts; an entry with more tags than the store accepts matches every tag. Writing an entry again
 * replaces it, and removing a missing entry is no error, so that every call can be repeated. A call throws a bad_gateway that
 * says what to do, after retries with growing pauses.
 */
export interface VectorStore {
  /** The name for people. */
  title: string
  /** Whether it searches by words. If not, it ignores the text of a query. */
  searchesText: boolean
  /** The dimension of every vector, where the whole store has one. */
  dimension?(signal?: AbortSignal): Promise<number | undefined>
  write(namespace: string, entries: readonly StoreEntry[], signal?: AbortSignal): Promise<void>
  remove(namespace: string, ids: readonly string[], signal?: AbortSignal): Promise<void>
  /** Removes a namespace with all its entries. */
  drop(namespace: string, signal?: AbortSignal): Promise<void>
  /** Finds nothing in a namespace that doesn't exist. */
  search(namespace: string, query: StoreQuery, signal?: AbortSignal): Promise<StoreHits>
}

/** The most hits that every store returns at once. */
export const MOST_HITS = 1000

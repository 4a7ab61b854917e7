import { ApiError } from '../lib/errors.ts'

/** One vector as a store holds it: with the text to search by words and the columns to filter by. */
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
  /** Only what bears these tags: any of them, or all. None: whatever its tags. */
  tags?: readonly string[] | undefined
  match?: 'any' | 'all' | undefined
  /** Only what came to be then or later. */
  from?: Date | undefined
  /** Only what came to be earlier. */
  before?: Date | undefined
  /** How many of each list at most: MOST_HITS at most. */
  limit: number
}

/** Something found, with the score of the index that found it: the higher, the better. */
export interface StoreHit {
  id: string
  score: number
}

/** What was found, best first: near the vector by its cosine, and by words. A list is there when it was asked for. */
export interface StoreHits {
  vector?: StoreHit[]
  text?: StoreHit[]
}

/**
 * A hosted store of vectors. A namespace in it holds vectors of one model, and is there as soon as it is written to.
 * Tags and times are compared before the limit counts; what has more tags than the store can keep is found whatever its tags. Writing again what is there replaces it, and removing what isn't
 * there is no error, so that whatever broke off can be done again from its start. Everything throws a bad_gateway that
 * says what to do, once asking again with growing pauses hasn't helped.
 */
export interface VectorStore {
  /** Its name for people. */
  title: string
  /** Whether it searches by words. If not, a query's text is passed over. */
  searchesText: boolean
  /** How many numbers each of its vectors must have, where that is fixed for the whole store. */
  dimension?(signal?: AbortSignal): Promise<number | undefined>
  write(namespace: string, entries: readonly StoreEntry[], signal?: AbortSignal): Promise<void>
  remove(namespace: string, ids: readonly string[], signal?: AbortSignal): Promise<void>
  /** Removes a namespace with all that is in it. */
  drop(namespace: string, signal?: AbortSignal): Promise<void>
  /** Of a namespace that isn't there: nothing. */
  search(namespace: string, query: StoreQuery, signal?: AbortSignal): Promise<StoreHits>
}

/** As many hits as every store gives at once. */
export const MOST_HITS = 1000

/** How often a store is asked again when it is busy, broken or out of reach. */
export const ATTEMPTS_MORE = 3

/** How long one attempt may take. */
export const PATIENCE_MS = 30_000

/** What a store sent may be long, and is its own words. */
const WORDS = 300

/** What went wrong at a store, for the caller; `words` of a connection
 * that fails, for the log. The key is in neither. */
export function storeFault(
  store: { title: string; keyName: string },
  key: string,
  fault: { status: number | undefined; words: string },
): ApiError {
  const { title, keyName } = store
  const { status } = fault
  const words = fault.words.replaceAll(key, '…')
  // What a store answers is its own words, which the log has no need of; what keeps it from answering isn't.
  const cause = status === undefined ? { cause: new Error(words) } : {}
  const told = (detail: string) => new ApiError('bad_gateway', detail, cause)
  if (status === 401 || status === 403) {
    return told(`${title} refuses this server's key. Who runs the server must check ${keyName}.`)
  }
  if (status === 429) return told(`${title} is asked too often at the moment. Try again later.`)
  if (status !== undefined && status >= 400 && status < 500) {
    return told(`${title} refuses what it was sent (${status}): ${words.slice(0, WORDS)}`)
  }
  return told(`${title} does not answer at the moment${status === undefined ? '' : ` (${status})`}. Try again later.`)
}

/** Cuts a list into pieces that keep to a store's limits. What alone is larger than `bytes` is a piece of its own. */
export function* pieces<T>(list: readonly T[], most: { rows: number; bytes: number }): Generator<T[]> {
  let piece: T[] = []
  let bytes = 0
  for (const one of list) {
    const size = Buffer.byteLength(JSON.stringify(one)) + 1
    if (piece.length > 0 && (piece.length === most.rows || bytes + size > most.bytes)) {
      yield piece
      piece = []
      bytes = 0
    }
    piece.push(one)
    bytes += size
  }
  if (piece.length > 0) yield piece
}

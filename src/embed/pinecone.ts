import type { Index } from '@pinecone-database/pinecone'
import type { StoreAddress } from '../config.ts'
import { ATTEMPTS_MORE, chunksOf, REQUEST_TIMEOUT_MS, storeError } from './store-requests.ts'
import type { StoreEntry, StoreQuery, VectorStore } from './vector-store.ts'

const SELF = { title: 'Pinecone', keyName: 'PINECONE_API_KEY' }

/** A request has at most 1,000 records and 2 MB with its frame; a removal at most 1,000 ids. */
const WRITE = { rows: 1000, bytes: 1_900_000 }
const REMOVE = { rows: 1000, bytes: 1_900_000 }

/** The metadata of a record has at most 40 KB. */
const TAG_BYTES = 39_000

function metadataOf({ tags, created_at }: StoreEntry) {
  const fits = Buffer.byteLength(JSON.stringify(tags)) <= TAG_BYTES
  // An empty list can't be filtered by. `untold` is in the indexes of users: such an entry matches every tag.
  return { created_at: created_at.getTime(), ...(!fits ? { untold: true } : tags.length > 0 && { tags: [...tags] }) }
}

function filterOf({ tags = [], match, from, before }: StoreQuery): object | undefined {
  const all: object[] = []
  const addTags = (any: readonly string[]) => all.push({ $or: [{ tags: { $in: any } }, { untold: { $eq: true } }] })
  if (match === 'all') for (const tag of tags) addTags([tag])
  else if (tags.length > 0) addTags(tags)
  if (from) all.push({ created_at: { $gte: from.getTime() } })
  if (before) all.push({ created_at: { $lt: before.getTime() } })
  return all.length > 0 ? { $and: all } : undefined
}

/** The last attempt of a request: its status, or the error of a connection that failed. */
interface Attempt {
  status?: number
  lost?: unknown
}

/**
 * A fetch that has a timeout and the caller's signal, which the library's requests lack, and that responds 503 to a lost
 * connection and a 429: the library repeats a request after a 5xx alone.
 */
const retriedFetch =
  (attempt: Attempt, signal: AbortSignal | undefined) =>
  async (address: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
    delete attempt.status
    delete attempt.lost
    try {
      const response = await fetch(address, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout })
      const body = await response.arrayBuffer()
      attempt.status = response.status
      if (response.status === 429) return new Response(null, { status: 503 })
      return new Response(body.byteLength > 0 ? body : null, { status: response.status, headers: response.headers })
    } catch (error) {
      if (signal?.aborted) throw error
      attempt.lost = error
      return new Response(null, { status: 503 })
    }
  }

/** Runs `work` on a namespace of the index. `none`: the result for a namespace that doesn't exist. */
async function request<T>(
  { apiKey, url }: StoreAddress,
  namespace: string,
  signal: AbortSignal | undefined,
  work: (index: Index) => Promise<T>,
  none?: T,
): Promise<T> {
  const { Pinecone } = await import('@pinecone-database/pinecone')
  const attempt: Attempt = {}
  try {
    const client = new Pinecone({ apiKey, fetchApi: retriedFetch(attempt, signal), maxRetries: ATTEMPTS_MORE })
    return await work(client.index({ host: url, namespace }))
  } catch (error) {
    signal?.throwIfAborted()
    const { status, lost } = attempt
    if (status === 404 && none !== undefined) return none
    throw storeError(SELF, apiKey, { status, words: lost === undefined ? (error as Error).message : String(lost) })
  }
}

/**
 * The hosted store Pinecone, through its own library: the address is that of one index of dense vectors, compared by
 * cosine. Such an index searches no text, so no text is sent there.
 */
export function pinecone(address: StoreAddress): VectorStore {
  return {
    title: SELF.title,
    searchesText: false,

    dimension: (signal) => request(address, '', signal, async (index) => (await index.describeIndexStats()).dimension),

    async write(namespace, entries, signal) {
      const list = entries.map((entry) => ({ id: entry.id, values: [...entry.vector], metadata: metadataOf(entry) }))
      for (const records of chunksOf(list, WRITE)) {
        await request(address, namespace, signal, (index) => index.upsert({ records }))
      }
    },

    async remove(namespace, ids, signal) {
      for (const batch of chunksOf(ids, REMOVE)) {
        await request(address, namespace, signal, (index) => index.deleteMany({ ids: batch }).then(() => true), true)
      }
    },

    async drop(namespace, signal) {
      await request(address, namespace, signal, (index) => index.deleteNamespace(namespace).then(() => true), true)
    },

    async search(namespace, query, signal) {
      const { vector } = query
      if (!vector) return {}
      const filter = filterOf(query)
      const { matches } = await request(
        address,
        namespace,
        signal,
        (index) => index.query({ vector: [...vector], topK: query.limit, ...(filter && { filter }) }),
        { matches: [], namespace },
      )
      return { vector: matches.map(({ id, score = 0 }) => ({ id, score })) }
    },
  }
}

import type { Index } from '@pinecone-database/pinecone'
import type { StoreAddress } from '../config.ts'
import {
  ATTEMPTS_MORE,
  PATIENCE_MS,
  pieces,
  type StoreEntry,
  type StoreQuery,
  storeFault,
  type VectorStore,
} from './vector-store.ts'

const SELF = { title: 'Pinecone', keyName: 'PINECONE_API_KEY' }

/** A request takes 1,000 records and 2 MB, its frame included; a removal takes 1,000 ids. */
const WRITE = { rows: 1000, bytes: 1_900_000 }
const REMOVE = { rows: 1000, bytes: 1_900_000 }

/** A record takes 40 KB of what is filtered by. */
const TAG_BYTES = 39_000

function metadataOf({ tags, created_at }: StoreEntry) {
  const kept = Buffer.byteLength(JSON.stringify(tags)) <= TAG_BYTES
  // An empty list is no value to filter by.
  return { created_at: created_at.getTime(), ...(!kept ? { untold: true } : tags.length > 0 && { tags: [...tags] }) }
}

function filterOf({ tags = [], match, from, before }: StoreQuery): object | undefined {
  const all: object[] = []
  const bearing = (some: readonly string[]) => all.push({ $or: [{ tags: { $in: some } }, { untold: { $eq: true } }] })
  if (match === 'all') for (const tag of tags) bearing([tag])
  else if (tags.length > 0) bearing(tags)
  if (from) all.push({ created_at: { $gte: from.getTime() } })
  if (before) all.push({ created_at: { $lt: before.getTime() } })
  return all.length > 0 ? { $and: all } : undefined
}

/**
 * The hosted store Pinecone, through its own library: the address is that of one index of dense vectors, compared by
 * cosine. Such an index searches no text, so none is sent there.
 */
export function pinecone({ apiKey, url }: StoreAddress): VectorStore {
  /** Does `work`. With `none`, that is the answer of a namespace that isn't there. */
  async function asked<T>(
    namespace: string,
    signal: AbortSignal | undefined,
    work: (index: Index) => Promise<T>,
    none?: T,
  ): Promise<T> {
    const { Pinecone } = await import('@pinecone-database/pinecone')
    let status: number | undefined
    let lost: unknown
    // The library asks again after a 5xx alone, and its requests take no signal of their own.
    const fetchApi = async (address: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const patience = AbortSignal.timeout(PATIENCE_MS)
      status = undefined
      lost = undefined
      try {
        const until = signal ? AbortSignal.any([signal, patience]) : patience
        const response = await fetch(address, { ...init, signal: until })
        const body = await response.arrayBuffer()
        status = response.status
        if (status === 429) return new Response(null, { status: 503 })
        return new Response(body.byteLength > 0 ? body : null, { status, headers: response.headers })
      } catch (error) {
        if (signal?.aborted) throw error
        lost = error
        return new Response(null, { status: 503 })
      }
    }
    try {
      const client = new Pinecone({ apiKey, fetchApi, maxRetries: ATTEMPTS_MORE })
      return await work(client.index({ host: url, namespace }))
    } catch (error) {
      signal?.throwIfAborted()
      if (status === 404 && none !== undefined) return none
      throw storeFault(SELF, apiKey, { status, words: lost === undefined ? (error as Error).message : String(lost) })
    }
  }

  return {
    title: SELF.title,
    searchesText: false,

    dimension: (signal) => asked('', signal, async (index) => (await index.describeIndexStats()).dimension),

    async write(namespace, entries, signal) {
      const list = entries.map((entry) => ({ id: entry.id, values: [...entry.vector], metadata: metadataOf(entry) }))
      for (const records of pieces(list, WRITE)) {
        await asked(namespace, signal, (index) => index.upsert({ records }))
      }
    },

    async remove(namespace, ids, signal) {
      for (const some of pieces(ids, REMOVE)) {
        await asked(namespace, signal, (index) => index.deleteMany({ ids: some }).then(() => true), true)
      }
    },

    async drop(namespace, signal) {
      await asked(namespace, signal, (index) => index.deleteNamespace(namespace).then(() => true), true)
    },

    async search(namespace, query, signal) {
      const { vector } = query
      if (!vector) return {}
      const filter = filterOf(query)
      const { matches } = await asked(
        namespace,
        signal,
        (index) => index.query({ vector: [...vector], topK: query.limit, ...(filter && { filter }) }),
        { matches: [], namespace },
      )
      return { vector: matches.map(({ id, score = 0 }) => ({ id, score })) }
    },
  }
}

import type { Turbopuffer } from '@turbopuffer/turbopuffer'
import type { Row } from '@turbopuffer/turbopuffer/resources'
import type { Filter, RankBy } from '@turbopuffer/turbopuffer/resources/custom'
import type { StoreAddress } from '../config.ts'
import { ATTEMPTS_MORE, chunksOf, REQUEST_TIMEOUT_MS, storeError } from './store-requests.ts'
import type { StoreHit, StoreQuery, VectorStore } from './vector-store.ts'

const SELF = { title: 'turbopuffer', keyName: 'TURBOPUFFER_API_KEY' }

/** Far below the limit of a write (256 MB), so that a lost connection repeats little. */
const WRITE = { rows: 1000, bytes: 16 * 1024 * 1024 }
const REMOVE = { rows: 10_000, bytes: 1024 * 1024 }

/** A search by words has at most 8,192 bytes; a character at most four. */
const QUERY_CHARACTERS = 2048

/** The English text search of PostgreSQL: words in any case, stemmed. */
const SCHEMA = {
  text: { type: 'string', full_text_search: { language: 'english', stemming: true, remove_stopwords: true } },
  tags: { type: '[]string' },
  created_at: { type: 'int' },
} as const

function filterOf({ tags = [], match, from, before }: StoreQuery): Filter | undefined {
  const all: Filter[] = []
  if (match === 'all') for (const tag of tags) all.push(['tags', 'Contains', tag])
  else if (tags.length > 0) all.push(['tags', 'ContainsAny', [...tags]])
  if (from) all.push(['created_at', 'Gte', from.getTime()])
  if (before) all.push(['created_at', 'Lt', before.getTime()])
  return all.length > 0 ? ['And', all] : undefined
}

const openClient = async ({ apiKey, url }: StoreAddress): Promise<Turbopuffer> => {
  const { Turbopuffer } = await import('@turbopuffer/turbopuffer')
  return new Turbopuffer({
    apiKey,
    baseURL: url,
    // Null, so that the library doesn't read it from the environment.
    region: null,
    maxRetries: ATTEMPTS_MORE,
    timeout: REQUEST_TIMEOUT_MS,
    logLevel: 'off',
  })
}

/** Runs work on a namespace of the store. `none`: the result for a namespace that doesn't exist. */
type RunRequest = <T>(
  namespace: string,
  signal: AbortSignal | undefined,
  work: (space: ReturnType<Turbopuffer['namespace']>, options: { signal?: AbortSignal }) => Promise<T>,
  none?: T,
) => Promise<T>

function createRequests(address: StoreAddress): RunRequest {
  let opened: Promise<Turbopuffer> | undefined
  return async (namespace, signal, work, none) => {
    opened ??= openClient(address)
    const client = await opened
    try {
      return await work(client.namespace(namespace), signal ? { signal } : {})
    } catch (error) {
      signal?.throwIfAborted()
      const { status, message, cause } = error as { status?: number; message: string; cause?: unknown }
      if (status === 404 && none !== undefined) return none
      const words = cause === undefined ? message : `${message} ${String(cause)}`
      throw storeError(SELF, address.apiKey, { status, words })
    }
  }
}

/** The hosted store turbopuffer, through its own library: vectors by cosine, texts by BM25. */
export function turbopuffer(address: StoreAddress): VectorStore {
  const request = createRequests(address)
  return {
    title: SELF.title,
    searchesText: true,

    async write(namespace, entries, signal) {
      const rows = entries.map(({ vector, tags, created_at, ...entry }) => ({
        ...entry,
        vector: [...vector],
        tags: [...tags],
        created_at: created_at.getTime(),
      }))
      for (const upsert_rows of chunksOf(rows, WRITE)) {
        const body = { upsert_rows, distance_metric: 'cosine_distance', schema: SCHEMA } as const
        await request(namespace, signal, (space, options) => space.write(body, options))
      }
    },

    async remove(namespace, ids, signal) {
      for (const deletes of chunksOf(ids, REMOVE)) {
        await request(namespace, signal, (space, options) => space.write({ deletes }, options).then(() => true), true)
      }
    },

    async drop(namespace, signal) {
      await request(namespace, signal, (space, options) => space.deleteAll({}, options).then(() => true), true)
    },

    async search(namespace, query, signal) {
      const filters = filterOf(query)
      const ranked = (rank_by: RankBy) => ({ rank_by, top_k: query.limit, ...(filters && { filters }) })
      const vector = query.vector && ranked(['vector', 'ANN', [...query.vector]])
      const text =
        query.text === undefined ? undefined : ranked(['text', 'BM25', query.text.slice(0, QUERY_CHARACTERS)])
      const queries = [vector, text].filter((one) => one !== undefined)
      if (queries.length === 0) return {}
      const lists = await request<{ rows?: Row[] }[]>(
        namespace,
        signal,
        async (space, options) => (await space.multiQuery({ queries }, options)).results,
        [],
      )
      const hits = (at: number, scoreOf: (distance: number) => number): StoreHit[] =>
        (lists[at]?.rows ?? []).map(({ id, $dist = 0 }) => ({ id: String(id), score: scoreOf($dist) }))
      return {
        ...(vector && { vector: hits(0, (distance) => 1 - distance) }),
        ...(text && { text: hits(vector ? 1 : 0, (score) => score) }),
      }
    },
  }
}

import { type Answer, cosine, type StandIn, standIn } from './loopback.ts'

interface PineconeRecord {
  id: string
  values: number[]
  metadata?: Record<string, unknown>
}

interface Body {
  namespace?: string
  vectors?: PineconeRecord[]
  ids?: string[]
  vector?: number[]
  topK?: number
  filter?: Record<string, unknown>
}

const OPERATORS: Record<string, (value: unknown, wanted: unknown) => boolean> = {
  $eq: (value, wanted) => value === wanted,
  $in: (value, wanted) => [value].flat().some((one) => (wanted as unknown[]).includes(one)),
  $gte: (value, wanted) => (value as number) >= (wanted as number),
  $lt: (value, wanted) => (value as number) < (wanted as number),
}

function fits(metadata: Record<string, unknown>, filter: Record<string, unknown> = {}): boolean {
  return Object.entries(filter).every(([key, wanted]) => {
    if (key === '$or') return (wanted as Record<string, unknown>[]).some((one) => fits(metadata, one))
    if (key === '$and') return (wanted as Record<string, unknown>[]).every((one) => fits(metadata, one))
    return Object.entries(wanted as object).every(([operator, operand]) => {
      const compare = OPERATORS[operator]
      if (!compare) throw new Error(`no filter ${operator}`)
      return compare(metadata[key], operand)
    })
  })
}

const MOST_BYTES = 2 * 1024 * 1024
const MOST_METADATA = 40 * 1024
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value ?? null))
const refused = (message: string, status = 400): Answer => ({ status, body: { code: 3, message, details: [] } })

/** Implements the part of a Pinecone index's API that Cairn uses: upserts, queries, deletions and statistics. */
export async function pineconeStandIn(
  key: string,
  dimension: number,
): Promise<StandIn & { namespaces: Map<string, Map<string, PineconeRecord>> }> {
  const namespaces = new Map<string, Map<string, PineconeRecord>>()

  function upsert({ namespace = '', vectors = [] }: Body): Answer {
    if (vectors.length > 1000 || bytes(vectors) > MOST_BYTES) return refused('the request is too large')
    const wrong = vectors.find(({ values }) => values.length !== dimension)
    if (wrong) {
      return refused(`Vector dimension ${wrong.values.length} does not match the dimension of the index ${dimension}`)
    }
    if (vectors.some(({ metadata }) => bytes(metadata) > MOST_METADATA)) return refused('metadata is too large')
    const space = namespaces.get(namespace) ?? new Map<string, PineconeRecord>()
    for (const record of vectors) space.set(record.id, record)
    namespaces.set(namespace, space)
    return { status: 200, body: { upsertedCount: vectors.length } }
  }

  function query({ namespace = '', vector = [], topK = 0, filter }: Body): Answer {
    if (vector.length !== dimension) return refused('Vector dimension does not match')
    const matches = [...(namespaces.get(namespace)?.values() ?? [])]
      .filter(({ metadata = {} }) => fits(metadata, filter))
      .map(({ id, values }) => ({ id, score: cosine(values, vector) }))
      .sort((one, other) => other.score - one.score)
      .slice(0, topK)
    return { status: 200, body: { matches, namespace, usage: { readUnits: 1 } } }
  }

  function remove({ namespace = '', ids = [] }: Body): Answer {
    const space = namespaces.get(namespace)
    if (!space) return refused('Namespace not found', 404)
    if (ids.length > 1000) return refused('too many ids')
    for (const id of ids) space.delete(id)
    return { status: 200, body: {} }
  }

  const answer = (method: string, path: string, body: Body): Answer => {
    const [, name] = /^\/namespaces\/([^/]+)$/.exec(path) ?? []
    if (method === 'DELETE' && name !== undefined) {
      return namespaces.delete(decodeURIComponent(name)) ? { status: 200, body: {} } : refused('Not found', 404)
    }
    if (path === '/vectors/upsert') return upsert(body)
    if (path === '/query') return query(body)
    if (path === '/vectors/delete') return remove(body)
    if (path === '/describe_index_stats') {
      return { status: 200, body: { dimension, namespaces: {}, indexFullness: 0, totalVectorCount: 0 } }
    }
    return refused('no such path', 404)
  }

  const server = await standIn((request) => request.headers['api-key'] === key, answer)
  return { ...server, namespaces }
}

import { type Answer, cosine, type StandIn, standIn } from './loopback.ts'

interface Row {
  id: string
  vector: number[]
  [column: string]: unknown
}

type Filter = [string, string, unknown] | ['And' | 'Or', Filter[]]

interface Query {
  /** Of the ranking by a vector, or by words. */
  rank_by: [column: string, how: 'ANN' | 'BM25', wanted: number[] | string]
  top_k: number
  filters?: Filter
}

interface Body {
  upsert_rows?: Row[]
  deletes?: string[]
  distance_metric?: string
  schema?: Record<string, unknown>
  queries?: Query[]
}

const COMPARE: Record<string, (value: unknown, wanted: unknown) => boolean> = {
  Contains: (value, wanted) => (value as string[]).includes(wanted as string),
  ContainsAny: (value, wanted) => (wanted as string[]).some((one) => (value as string[]).includes(one)),
  Gte: (value, wanted) => (value as number) >= (wanted as number),
  Lt: (value, wanted) => (value as number) < (wanted as number),
}

function fits(row: Row, filter: Filter | undefined): boolean {
  if (!filter) return true
  if (filter[0] === 'And') return (filter[1] as Filter[]).every((one) => fits(row, one))
  if (filter[0] === 'Or') return (filter[1] as Filter[]).some((one) => fits(row, one))
  const [column, operator, wanted] = filter as [string, string, unknown]
  const compare = COMPARE[operator]
  if (!compare) throw new Error(`no filter ${operator}`)
  return compare(row[column], wanted)
}

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** BM25 (Robertson, Zaragoza: The Probabilistic Relevance Framework, 2009) with k1 = 1.2, b = 0.75. */
function bm25(rows: Row[], column: string, query: string): { row: Row; score: number }[] {
  const texts = rows.map((row) => words(row[column] as string))
  const mean = texts.reduce((sum, text) => sum + text.length, 0) / texts.length
  const scoreOf = (text: string[]) =>
    [...new Set(words(query))].reduce((sum, word) => {
      const holders = texts.filter((one) => one.includes(word)).length
      const count = text.filter((one) => one === word).length
      const rarity = Math.log(1 + (texts.length - holders + 0.5) / (holders + 0.5))
      return sum + (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * text.length) / mean))
    }, 0)
  return rows
    .map((row, at) => ({ row, score: scoreOf(texts[at]!) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
}

const refused = (error: string, status = 400): Answer => ({ status, body: { status: 'error', error } })

function find(all: Row[], { rank_by, top_k, filters }: Query) {
  const [column, how, wanted] = rank_by
  const ranked =
    how === 'ANN'
      ? all
          .map((row) => ({ row, score: 1 - cosine(row[column] as number[], wanted as number[]) }))
          .sort((one, other) => one.score - other.score)
      : bm25(all, column, wanted as string)
  const rows = ranked
    .filter(({ row }) => fits(row, filters))
    .slice(0, top_k)
    .map(({ row, score }) => ({ id: row.id, $dist: score }))
  return { rows }
}

/** Implements the part of turbopuffer's API that Cairn uses: writes, multi-queries and deletions of namespaces. */
export async function turbopufferStandIn(
  key: string,
): Promise<StandIn & { namespaces: Map<string, Map<string, Row>> }> {
  const namespaces = new Map<string, Map<string, Row>>()

  function write(name: string, { upsert_rows = [], deletes = [], distance_metric, schema }: Body): Answer {
    const space = namespaces.get(name) ?? new Map<string, Row>()
    const dimension = (space.values().next().value ?? upsert_rows[0])?.vector.length
    if (upsert_rows.length > 0 && (distance_metric !== 'cosine_distance' || !schema)) {
      return refused('distance_metric and schema are needed')
    }
    if (upsert_rows.some(({ vector }) => vector.length !== dimension)) {
      return refused(`vector dimensions differ from ${dimension}`)
    }
    if (!namespaces.has(name) && upsert_rows.length === 0) return refused('namespace was not found', 404)
    for (const row of upsert_rows) space.set(row.id, row)
    for (const id of deletes) space.delete(id)
    namespaces.set(name, space)
    const rows_affected = upsert_rows.length + deletes.length
    return { status: 200, body: { status: 'OK', message: 'rows written', rows_affected, billing: {} } }
  }

  function answer(method: string, path: string, body: Body): Answer {
    const [, name, query] = /^\/v2\/namespaces\/([A-Za-z0-9-_.]{1,128})(\/query)?$/.exec(path) ?? []
    if (name === undefined) return refused('no such path', 404)
    if (method === 'POST' && !query) return write(name, body)
    const space = namespaces.get(name)
    if (!space) return refused('namespace was not found', 404)
    if (method === 'DELETE') return { status: 200, body: { status: namespaces.delete(name) ? 'OK' : 'error' } }
    const results = body.queries!.map((one) => find([...space.values()], one))
    return { status: 200, body: { results, billing: {}, performance: {} } }
  }

  const server = await standIn((request) => request.headers.authorization === `Bearer ${key}`, answer)
  return { ...server, namespaces }
}

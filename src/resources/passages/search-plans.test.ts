import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../test/server.ts'
import type { Scope } from '../../db/scope.ts'
import { lexical, lexicalVector } from '../../embed/lexical.ts'
import { EXACT_SCAN_LIMIT } from '../../lib/ranking.ts'
import { modelKey } from '../models/embedding.ts'
import { DEFAULT_EMBEDDING } from '../models/handles.ts'
import { insertPassages } from './insert.ts'
import { type PreparedSearch, prepareSearch } from './prepare-search.ts'
import { searchTables } from './search-statement.ts'

const COUNT = 600

let server: TestServer
let hers: Scope
let archive: string
let ids: string[]
beforeAll(async () => {
  server = await startTestServer()
  hers = server.scopeOf(server.organizations.alice)
  archive = (await server.alice.post('/v1/archives/', { name: 'Archive' })).body.id
  const vector = lexicalVector('kettle')
  const list = Array.from({ length: COUNT }, (_, n) => ({ text: `kettle ${n}`, tags: ['kitchen'] }))
  const made = { model: modelKey(DEFAULT_EMBEDDING), vectors: list.map(() => vector) }
  ids = (await insertPassages(hers, { archive_id: archive }, list, made)).map(({ id }) => id)
})
afterAll(() => server.close())

interface Plan {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: Plan[]
}

/** How many rows the busiest step of a search looks at. */
async function mostRows(prepared: PreparedSearch, exactScanLimit: number): Promise<number> {
  const [row] = await hers.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(sql`
    explain (analyze, format json) with ${sql.join(searchTables({ ...prepared, exactScanLimit }))} select * from hits`)
  const looked = (plan: Plan): number => {
    const { 'Rows Removed by Filter': filtered = 0, 'Rows Removed by Join Filter': unjoined = 0, Plans = [] } = plan
    const own = (plan['Actual Rows'] + filtered + unjoined) * plan['Actual Loops']
    return Math.max(own, ...Plans.map(looked))
  }
  return looked(row!['QUERY PLAN'][0].Plan)
}

const today = new Date().toISOString().slice(0, 10)
const day = { start_date: '2020-01-01', end_date: today }

/** What the planner may know of the tables: an embedded database gathers no statistics by itself. */
const knowledge = { nothing: sql`select 1`, statistics: sql`analyze passages, embeddings, archives` }

test.each([
  ['nothing', 'a period', day],
  ['nothing', 'a period and tags', { ...day, tags: ['kitchen'] }],
  ['nothing', 'a period of all archives', { ...day, archive_id: undefined }],
  ['nothing', 'neither', {}],
  ['statistics', 'a period', day],
  ['statistics', 'a period of all archives', { ...day, archive_id: undefined }],
] as const)('when %s is known of the tables, a search by %s looks at no row twice', async (known, _, narrow) => {
  await knowledge[known].execute(server.database.kysely)
  const body = { query: 'kettle', archive_id: archive, ...narrow, tags: [...('tags' in narrow ? narrow.tags : [])] }
  const prepared = await prepareSearch(hers, { embedders: { of: async () => lexical }, stores: {} }, body)
  const { vectors, filter } = prepared
  const hits = ids.map((id) => ({ id, score: 1 }))
  for (const [search, exactScanLimit] of [
    [prepared, EXACT_SCAN_LIMIT],
    [prepared, -1],
    // As if there were another model, which has no passage.
    [{ ...prepared, vectors: [...vectors, { ...vectors[0]!, model: 'openai/none/512' }] }, EXACT_SCAN_LIMIT],
    [{ ...prepared, vectors: [{ ...vectors[0]!, hosted: { index: 'tpuf', hits } }], filter }, EXACT_SCAN_LIMIT],
  ] as [PreparedSearch, number][]) {
    expect(await mostRows(search, exactScanLimit)).toBeLessThanOrEqual(2 * COUNT)
  }
})

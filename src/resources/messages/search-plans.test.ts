import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'
import type { Scope } from '../../db/scope.ts'
import { lexical, lexicalVector } from '../../embed/lexical.ts'
import { EXACT_SCAN_LIMIT } from '../../lib/ranking.ts'
import { modelKey } from '../models/embedding.ts'
import { DEFAULT_EMBEDDING } from '../models/handles.ts'
import { searchTables } from '../passages/search-statement.ts'
import { prepareMessageSearch } from './prepare-search.ts'

const server = useTestServer()

/** The messages of the agent that is searched, and those of another agent. */
const [OWN, OTHERS] = [300, 1500]

let hers: Scope
let agent: string
beforeAll(async () => {
  hers = server.scopeOf(server.organizations.alice)
  const body = { include_base_tools: false, embedding: 'cairn/lexical' }
  agent = (await server.alice.post('/v1/agents/', body)).body.id
  const other = (await server.alice.post('/v1/agents/', body)).body.id
  const vector = `[${lexicalVector('kettle').join(',')}]`
  for (const [id, count] of [
    [agent, OWN],
    [other, OTHERS],
  ] as const) {
    await hers.query(sql`
      insert into messages (organization_id, id, agent_id, role, content, created_at)
      select ${hers.organizationId}, 'message-' || gen_random_uuid(), ${id}, 'user',
        json_build_array(json_build_object('type', 'text', 'text', 'kettle ' || n)), now() from generate_series(1, ${count}::int) as n`)
  }
  await hers.query(sql`update message_texts set model = ${modelKey(DEFAULT_EMBEDDING)}, embedding = ${vector}::vector
    where organization_id = ${hers.organizationId} returning id`)
  await sql`analyze message_texts`.execute(server.database.kysely)
})

interface Plan {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

const looked = ({ Plans = [], 'Rows Removed by Filter': filtered = 0, ...plan }: Plan): number =>
  Math.max((plan['Actual Rows'] + filtered) * plan['Actual Loops'], ...Plans.map(looked))

test.each(['fts', 'vector', 'hybrid'] as const)(
  'a search of an agent by %s compares the vectors of its messages alone, and no message with every other',
  async (search_mode) => {
    const request = {
      ...{ query: 'kettle', search_mode, limit: 10, zone: 'UTC' as const },
      period: { in: 'body', start: ['start_date', '2020-01-01'], end: ['end_date', undefined] } as const,
    }
    const deps = { embedders: { of: async () => lexical }, stores: {} }
    const prepared = await prepareMessageSearch(hers, deps, { agent_id: agent, roles: ['user'] }, request)
    const [row] = await hers.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(sql`
      explain (analyze, format json)
      with ${sql.join(searchTables({ ...prepared, exactScanLimit: EXACT_SCAN_LIMIT }))} select * from hits`)
    expect(looked(row!['QUERY PLAN'][0].Plan)).toBeLessThanOrEqual(2 * (search_mode === 'vector' ? OWN : OWN + OTHERS))
  },
)

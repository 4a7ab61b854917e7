import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'

const server = useTestServer()

const URL = '/v1/folders/metadata'

test('more folders and files than fit into an answer are counted, and not told one by one', async () => {
  const { alice, bob, database } = server
  const { id } = (await alice.post('/v1/folders/', { name: 'Library' })).body
  const add = (from: number, to: number) =>
    sql`insert into files (organization_id, id, source_id, file_name, file_size, created_at, updated_at)
      select organization_id, 'file-' || gen_random_uuid(), id, n || '.txt', 10, now(), now()
      from folders, generate_series(${from}::int, ${to}::int) as n where id = ${id}`.execute(database.kysely)
  await add(1, 9_999)
  const most = await alice.get(`${URL}?include_detailed_per_source_metadata=true`)
  expect(most.body).toMatchObject({ total_sources: 1, total_files: 9_999, total_size: 99_990 })
  expect(most.body.sources).toMatchObject([{ source_id: id, source_name: 'Library', file_count: 9_999 }])
  expect(most.body.sources[0].files).toHaveLength(9_999)

  await add(10_000, 10_000)
  const more = await alice.get(`${URL}?include_detailed_per_source_metadata=true`)
  expect([more.status, more.body.errors[0].field]).toEqual([422, 'include_detailed_per_source_metadata'])
  expect((await alice.get(URL)).body).toEqual({
    total_sources: 1,
    total_files: 10_000,
    total_size: 100_000,
    sources: [],
  })
  const none = { total_sources: 0, total_files: 0, total_size: 0, sources: [] }
  expect((await bob.get(`${URL}?include_detailed_per_source_metadata=true`)).body).toEqual(none)
})

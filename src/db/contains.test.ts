import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { useTestServer } from '../../test/server.ts'

const server = useTestServer()

const PLAIN = 'x'.repeat(700_000)

test('long texts are searched in parts: pages, their order and counts are those of all rows, of one organization alone', async () => {
  const { alice, bob, database } = server
  const search = vi.spyOn(database, 'search')
  const made: string[] = []
  for (let n = 0; n < 9; n++) made.push((await alice.post('/v1/blocks/', { label: `l${n % 3}`, value: '' })).body.id)
  const hidden = (await bob.post('/v1/blocks/', { label: 'l0', value: 'Needle' })).body.id
  await sql`update blocks set "limit" = null, value = ${PLAIN} || case when label <> 'l1' then 'NEEdle' else '' end
    where id = any(${made}::text[])`.execute(database.kysely)
  const expected = made.filter((_, n) => n % 3 !== 1)
  const ids = async (query: string) => (await alice.get(`/v1/blocks/?value_search=needLE${query}`)).body.map(idOf)
  expect(await ids('')).toEqual(expected)
  expect(await ids('&order=desc&limit=2')).toEqual(expected.toReversed().slice(0, 2))
  expect(await ids(`&after=${expected[1]}&limit=2`)).toEqual(expected.slice(2, 4))
  expect(await ids('&label=l2')).toEqual(made.filter((_, n) => n % 3 === 2))
  expect(await ids('&label_search=L1')).toEqual([])
  expect((await alice.get('/v1/blocks/count?value_search=needle')).body).toBe(expected.length)
  expect((await bob.get('/v1/blocks/?value_search=needle')).body.map(idOf)).toEqual([hidden])
  // The embedded database runs one statement at a time: those of others run between the parts.
  const parts = search.mock.calls.length
  await ids('')
  expect(search.mock.calls.length - parts).toBe(database.engine === 'embedded' ? 4 : 1)
  search.mockRestore()
})

const idOf = ({ id }: { id: string }) => id

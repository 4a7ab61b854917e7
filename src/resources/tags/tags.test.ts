import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, startTestServer, type TestServer } from '../../../test/server.ts'
import { walk } from '../../../test/walk.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  const { alice, bob } = server
  await makeAgent(alice, ['beta', 'Alpha', 'both'])
  await makeAgent(alice, ['beta'])
  await makeBlock(alice, ['both', 'alpha', '50%_off'])
  await makeBlock(alice, ['Émile', '😀'])
  await makeBlock(bob, ['alpha', 'his'])
})
afterAll(() => server.close())

const makeAgent = (client: Client, tags: string[]) =>
  client.post('/v1/agents/', { name: 'A', model: 'openai/gpt-4o-mini', tags })
const makeBlock = async (client: Client, tags: string[]) =>
  (await client.post('/v1/blocks/', { label: 'human', value: '', tags })).body

const ALL = ['50%_off', 'Alpha', 'alpha', 'beta', 'both', 'Émile', '😀']

async function tagsOf(query: string, client = server.alice): Promise<string[]> {
  const reply = await client.get(`/v1/tags/?${query}`)
  expect([query, reply.status]).toEqual([query, 200])
  return reply.body
}

test("lists the organization's tags of agents and blocks, each once, by code point", async () => {
  expect(await tagsOf('')).toEqual(ALL)
  expect(await tagsOf('order=desc&order_by=name')).toEqual(ALL.toReversed())
  expect(await tagsOf('', server.bob)).toEqual(['alpha', 'his'])
})

test('finds tags by a part of them, in any case, and takes % and _ as they are', async () => {
  expect(await tagsOf('name=ALPH')).toEqual(['Alpha', 'alpha'])
  expect(await tagsOf('query_text=et')).toEqual(['beta'])
  expect(await tagsOf('name=alpha&query_text=et')).toEqual(['Alpha', 'alpha'])
  expect(await tagsOf(`name=${encodeURIComponent('%_')}`)).toEqual(['50%_off'])
  expect(await tagsOf('name=_')).toEqual(['50%_off'])
  expect(await tagsOf(`name=${encodeURIComponent('é')}`)).toEqual(['Émile'])
  expect(await tagsOf('name=nowhere')).toEqual([])
})

test('a page goes on where the last one ended, in either direction and of any size', async () => {
  for (const limit of [1, 2, 3, 7, 200]) {
    expect(await walk(server.alice, `/v1/tags/?limit=${limit}`)).toEqual(ALL)
    expect(await walk(server.alice, `/v1/tags/?limit=${limit}&order=desc`)).toEqual(ALL.toReversed())
  }
  expect(await walk(server.alice, '/v1/tags/?limit=1&name=b')).toEqual(['beta', 'both'])
  expect(await tagsOf('after=beta')).toEqual(['both', 'Émile', '😀'])
  expect(await tagsOf('after=beta&order=desc')).toEqual(['alpha', 'Alpha', '50%_off'])
  expect(await tagsOf('before=both&limit=2')).toEqual(['alpha', 'beta'])
  expect(await tagsOf('before=alpha&limit=2&order=desc')).toEqual(['both', 'beta'])
  expect(await tagsOf('after=Alpha&before=both')).toEqual(['alpha', 'beta'])
  expect(await tagsOf('after=both&before=Alpha&order=desc')).toEqual(['beta', 'alpha'])
  expect(await tagsOf('after=b')).toEqual(['beta', 'both', 'Émile', '😀'])
  for (const query of ['limit=0', 'limit=201', 'order_by=created_at', 'order=up', 'nome=a']) {
    expect((await server.alice.get(`/v1/tags?${query}`)).status).toBe(422)
  }
})

test('a tag is gone with the last that bears it', async () => {
  const { alice } = server
  const [one, two] = [await makeBlock(alice, ['brief']), await makeBlock(alice, ['brief'])]
  await alice.patch(`/v1/blocks/${one.id}`, { tags: null })
  expect(await tagsOf('name=brief')).toEqual(['brief'])
  await alice.delete(`/v1/blocks/${two.id}`)
  expect(await tagsOf('name=brief')).toEqual([])
})

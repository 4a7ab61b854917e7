import axios from 'axios'
import { beforeAll, expect, test } from 'vitest'
import { useTestServer } from '../server.ts'

const server = useTestServer()
let origin: string
beforeAll(async () => {
  origin = `http://localhost:${await server.app.listenForLetta(0, 'localhost')}`
})

/** A client as programs without an SDK make it: paths from the root, and axios' own User-Agent. */
const clientOf = (key: string, headers: Record<string, string> = { authorization: `Bearer ${key}` }) =>
  axios.create({ baseURL: origin, headers, validateStatus: () => true })

test('a program with axios gets agents with all relations and fields, and the agent in response to attaching', async () => {
  const alice = clientOf(server.alice.key)
  const { data: made } = await alice.post('/v1/agents/', {
    name: 'Ada',
    tags: ['a'],
    memory_blocks: [{ label: 'human', value: 'Likes tea.' }],
  })
  expect(made.blocks.map(({ label }: { label: string }) => label)).toEqual(['human'])
  expect(made).toMatchObject({ tags: ['a'], description: null, identity_ids: [], agent_type: 'letta_v1_agent' })
  expect(made.tool_rules.map).toBeTypeOf('function')
  expect((await alice.get('/v1//agents', { params: { name: 'Ada', limit: 5000 } })).data).toEqual([made])

  const { data: block } = await alice.post('/v1/blocks/', { label: 'notes', value: '' })
  const { data: attached } = await alice.patch(`/v1/agents/${made.id}/core-memory/blocks/attach/${block.id}`)
  expect(attached).toMatchObject({ id: made.id })
  expect(attached.blocks.map(({ label }: { label: string }) => label)).toEqual(['human', 'notes'])
  expect((await alice.get(`/v1/blocks/${block.id}/agents`)).data).toMatchObject([{ id: made.id, tags: ['a'] }])
  for (const path of ['mcp-servers', 'conversations', 'runs']) {
    expect((await alice.get(`/v1/${path}/`)).data).toEqual([])
  }
})

test('a program with axios authenticates by X-BARE-PASSWORD, and meets nothing of another organization', async () => {
  const { alice, bob } = server
  const made = (await alice.post('/v1/agents/', { name: 'Hers' })).body
  const his = clientOf(bob.key, { 'x-bare-password': `password ${bob.key}` })
  expect((await his.get('/v1/agents/')).data).toEqual([])
  expect((await his.get(`/v1/agents/${made.id}`)).status).toBe(404)
  expect((await clientOf('wrong').get('/v1/agents/')).status).toBe(401)
  expect((await his.post('/v1/blocks/', { label: 5 })).data.errors).toMatchObject([{ in: 'body' }, { in: 'body' }])
})

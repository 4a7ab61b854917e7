import { describe, expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'
import { pagesFrom } from '../../../test/walk.ts'
import { INCLUDES } from './query.ts'

const server = useTestServer()

const model = 'openai/gpt-4o-mini'
const every = INCLUDES.map((include) => `include=${include}`).join('&')

describe('the relations of agents', () => {
  test('relations not asked for are empty or absent; those asked for are there', async () => {
    const { alice } = server
    const made = (
      await alice.post('/v1/agents/', {
        name: 'Bare',
        model,
        tags: ['bare'],
        secrets: { S: 'v' },
        memory_blocks: [{ label: 'human', value: 'x' }],
      })
    ).body
    const [plain] = (await alice.get('/v1/agents/?name=Bare')).body
    expect(plain).toMatchObject({
      blocks: [],
      tools: [],
      sources: [],
      tags: [],
      memory: { blocks: [], file_blocks: [] },
    })
    for (const field of [
      'identities',
      'identity_ids',
      'managed_group',
      'multi_agent_group',
      'pending_approval',
      'secrets',
    ]) {
      expect(plain).not.toHaveProperty(field)
    }
    const [full] = (await alice.get(`/v1/agents/?name=Bare&${every}`)).body
    expect(full).toEqual(made)
    expect(full).toMatchObject({ identities: [], identity_ids: [] })
    const [legacy] = (await alice.get('/v1/agents/?name=Bare&include_relationships=memory&include_relationships=tags'))
      .body
    expect(legacy).toMatchObject({ blocks: made.blocks, tags: ['bare'], tools: [] })
    expect((await alice.get('/v1/agents/?include=agent.nothing')).status).toBe(422)
    const reader = await server.withScopes('read')
    const [hushed] = (await reader.get('/v1/agents/?name=Bare&include=agent.secrets')).body
    expect(hushed.secrets).toMatchObject([{ key: 'S', value: '' }])
  })

  test('what agents share comes whole with each of them, whatever control characters and ids stand in it', async () => {
    const { alice, bob } = server
    const foreign = (await bob.post('/v1/blocks/', { label: 'theirs', value: 'not hers' })).body
    const value = `\u0001${foreign.id}\u0001 \u0002${foreign.id}\u0002 é €, "😀" \\u0002`
    const [shared, other] = [
      (await alice.post('/v1/blocks/', { label: 'shared', value })).body,
      (await alice.post('/v1/blocks/', { label: 'other', value: `\u0002${foreign.id}\u0002` })).body,
    ]
    const secrets = { ODD: value }
    const make = async (name: string, block_ids: string[]) =>
      (await alice.post('/v1/agents/', { name, model, description: value, tags: [value], block_ids, secrets })).body.id
    const made = [await make('Both', [other.id, shared.id]), await make('One', [shared.id]), await make('None', [])]
    const query = new URLSearchParams({ tags: value, order: 'asc' })
    const { body } = await alice.get(`/v1/agents/?${query}&${every}`)
    expect(body.map((agent: { id: string }) => agent.id)).toEqual(made)
    expect(body.map((agent: { blocks: object[] }) => agent.blocks)).toEqual([[other, shared], [shared], []])
    for (const agent of body) {
      expect(agent.memory.blocks).toEqual(agent.blocks)
      expect(agent.secrets).toMatchObject([{ key: 'ODD', value, agent_id: agent.id }])
      expect(agent.tool_exec_environment_variables).toEqual(agent.secrets)
      expect(agent).toMatchObject({ description: value, tags: [value] })
      expect((await alice.get(`/v1/agents/${agent.id}?${every}`)).body).toEqual(agent)
    }
    const backward = await alice.get(`/v1/agents/?${query}&${every}&before=${made[2]}`)
    expect(backward.body).toEqual(body.slice(0, 2))
  })

  test('a page of megabytes comes as whole as each of its agents alone', async () => {
    const { alice } = server
    const block = (n: number) => ({ label: 'long', limit: 200_000, value: `${n} é €, "😀" `.repeat(9_000) })
    const shared = (await alice.post('/v1/blocks/', { ...block(0), label: 'shared' })).body
    const made = []
    for (let n = 1; n <= 12; n++) {
      const body = { name: 'Long', model, memory_blocks: [block(n)], block_ids: [shared.id] }
      made.push((await alice.post('/v1/agents/', body)).body.id)
    }
    const { body, headers } = await alice.get(`/v1/agents/?name=Long&limit=10&order=asc&${every}`)
    expect(Number(headers['content-length'])).toBeGreaterThan(5_000_000)
    expect(headers.link).toContain(`after=${made[9]}`)
    const alone = []
    for (const id of made.slice(0, 10)) alone.push((await alice.get(`/v1/agents/${id}?${every}`)).body)
    expect(body).toEqual(alone)
  })
})

test('a page of agents with long blocks or secrets ends early, and its link leads to the rest', async () => {
  const { alice } = server
  const long = 'x'.repeat(950_000)
  const block = await alice.post('/v1/blocks/', { label: 'long', value: long, limit: null })
  const made: string[] = []
  for (let n = 0; n < 12; n++) {
    const body = { name: block.body.id, include_base_tools: false, block_ids: [block.body.id], secrets: { LONG: long } }
    made.push((await alice.post('/v1/agents/', body)).body.id)
  }
  const url = `/v1/agents/?name=${block.body.id}&order=asc`
  expect(await pagesFrom(alice, url)).toEqual([made])
  // The blocks of an agent are in its memory, too, and its secrets under two names.
  for (const include of ['agent.blocks', 'agent.secrets']) {
    expect([include, await pagesFrom(alice, `${url}&include=${include}`)]).toEqual([
      include,
      [made.slice(0, 9), made.slice(9)],
    ])
  }
  const readers = await server.withScopes('read')
  expect(await pagesFrom(readers, `${url}&include=agent.secrets`)).toEqual([made])
  expect(await pagesFrom(alice, `${url}&include=agent.blocks&include=agent.secrets`)).toEqual([
    made.slice(0, 5),
    made.slice(5, 10),
    made.slice(10),
  ])
  const search = [{ field: 'name', operator: 'eq', value: block.body.id }]
  const found = await alice.post('/v1/agents/search', { search })
  expect([found.body.agents.length, found.body.nextCursor]).toEqual([5, made[7]])
})

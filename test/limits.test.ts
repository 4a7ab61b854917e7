import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../src/lib/ids.ts'
import { useTestServer } from './server.ts'

const server = useTestServer({ bodyLimit: 8 * 1024 * 1024 })

const many = <T>(count: number, item: (n: number) => T) => Array.from({ length: count }, (_, n) => item(n))
const ids = (prefix: Parameters<typeof newId>[0], count: number) => many(count, () => newId(prefix))
const tags = (count: number) => many(count, (n) => `tag ${n}`)
const block = { label: 'l', value: '' }

describe('a request beyond a limit is a 422 that names the field and the limit', () => {
  test.each<[string, string, string, object | undefined, string, RegExp]>([
    ['tags of an agent', 'POST', '/v1/agents/', { tags: tags(1_001) }, 'tags', /at most 1000 items/],
    ['blocks of an agent', 'POST', '/v1/agents/', { block_ids: ids('block', 1_001) }, 'block_ids', /1000 items/],
    ['new blocks', 'POST', '/v1/agents/', { memory_blocks: many(1_001, () => block) }, 'memory_blocks', /1000 items/],
    ['tools of an agent', 'POST', '/v1/agents/', { tool_ids: ids('tool', 1_001) }, 'tool_ids', /1000 items/],
    ['names of tools', 'POST', '/v1/agents/', { tools: tags(1_001) }, 'tools', /1000 items/],
    [
      'messages',
      'POST',
      '/v1/agents/',
      { initial_message_sequence: many(1_001, () => ({ role: 'user', content: '' })) },
      'initial_message_sequence',
      /1000 items/,
    ],
    [
      'secrets',
      'POST',
      '/v1/agents/',
      { secrets: Object.fromEntries(tags(1_001).map((tag) => [tag, ''])) },
      'secrets',
      /1000 keys/,
    ],
    [
      'tool rules',
      'POST',
      '/v1/agents/',
      { tool_rules: many(1_001, () => ({ type: 'run_first', tool_name: 'a' })) },
      'tool_rules',
      /1000 items/,
    ],
    ['tags of a block', 'POST', '/v1/blocks/', { ...block, tags: tags(1_001) }, 'tags', /1000 items/],
    [
      'a value',
      'POST',
      '/v1/blocks/',
      { ...block, value: 'x'.repeat(1_000_001), limit: 2_000_000 },
      'value',
      /1000000 characters/,
    ],
    [
      'free JSON',
      'POST',
      '/v1/blocks/',
      { ...block, metadata: { a: ['x'.repeat(1_000_000)] } },
      'metadata',
      /1000000 characters of JSON/,
    ],
    [
      'members of a group',
      'POST',
      '/v1/groups/',
      { description: '', agent_ids: ids('agent', 1_001) },
      'agent_ids',
      /1000 items/,
    ],
    [
      'properties',
      'POST',
      '/v1/identities/',
      {
        identifier_key: 'k',
        name: 'n',
        identity_type: 'user',
        properties: many(1_001, () => ({ key: 'k', type: 'string', value: '' })),
      },
      'properties',
      /1000 items/,
    ],
    ['tags of a passage', 'POST', '/v1/passages/search', { tags: tags(101) }, 'tags', /at most 100 items/],
    [
      'a filter',
      'GET',
      `/v1/agents/?match_all_tags=true&${many(101, (n) => `tags=${n}`).join('&')}`,
      undefined,
      'tags',
      /100 items/,
    ],
    [
      'a part of a text',
      'GET',
      `/v1/agents/?query_text=${'a'.repeat(501)}`,
      undefined,
      'query_text',
      /at most 500 characters/,
    ],
    [
      'an import',
      'POST',
      '/v1/templates',
      { type: 'agent_file', agent_file: { agents: many(10_001, () => 1) } },
      'agent_file.agents',
      /10000 items/,
    ],
  ])('%s', async (_, method, path, body, field, message) => {
    const reply = await server.bob.call(method, path, body)
    expect([reply.status, reply.body.code]).toEqual([422, 'invalid'])
    const issue = reply.body.errors.find((one: { field: string }) => one.field === field)
    expect(issue?.message).toMatch(message)
  })
})

test('values at the limits are stored and returned whole', async () => {
  const value = '😀'.repeat(1_000_000)
  const metadata = { a: 'x'.repeat(1_000_000 - '{"a":""}'.length) }
  const made = await server.bob.post('/v1/blocks/', { ...block, value, limit: 1_000_000, metadata, tags: tags(1_000) })
  expect(made.status).toBe(200)
  const { body } = await server.bob.get(`/v1/blocks/${made.body.id}`)
  expect([body.value === value, body.metadata.a === metadata.a, body.tags.length]).toEqual([true, true, 1_000])
})

test('an agent with millions of characters in its blocks is created, and read with its ETag', async () => {
  const memory_blocks = many(5, (n) => ({ label: `l${n}`, value: 'x'.repeat(1_000_000), limit: 1_000_000 }))
  const made = await server.bob.post('/v1/agents/', { name: 'Large', memory_blocks })
  expect(made.status).toBe(200)
  const url = `/v1/agents/${made.body.id}?include=agent.blocks`
  const read = await server.bob.get(url)
  expect([read.status, read.body.blocks.length]).toEqual([200, 5])
  expect((await server.bob.get(url, { 'if-none-match': read.headers.etag! })).status).toBe(304)
})

test('an agent whose blocks grew beyond 32 MB is a 422 where they are read whole, and can be mended', async () => {
  const { bob, database } = server
  const memory_blocks = many(34, (n) => ({ label: `l${n}`, value: '', limit: 1_000_000 }))
  const made = await bob.post('/v1/agents/', { name: 'Grown', tags: ['grown'], memory_blocks })
  const url = `/v1/agents/${made.body.id}`
  const grown = made.body.blocks.map((one: { id: string }) => one.id)
  await sql`update blocks set value = repeat('x', 1000000) where id = any(${grown}::text[])`.execute(database.kysely)
  const whole = [
    `${url}?include=agent.blocks`,
    '/v1/agents/?tags=grown&include=agent.blocks',
    `${url}/core-memory`,
    `${url}/export`,
  ]
  for (const path of whole) {
    const { status, body } = await bob.get(path)
    expect([path, status, body.detail]).toEqual([
      path,
      422,
      expect.stringContaining(`agent ${made.body.id} takes more than 32 MB`),
    ])
  }
  const sent = await bob.post(`${url}/messages`, { input: 'Hello' })
  expect([sent.status, sent.body.detail]).toEqual([422, expect.stringContaining('takes more than 32 MB')])
  expect((await bob.get(url)).status).toBe(200)
  expect((await bob.get(`${url}/core-memory/blocks?limit=1`)).body.length).toBe(1)
  await sql`update blocks set value = '' where id = any(${grown.slice(1)}::text[])`.execute(database.kysely)
  expect((await bob.get(`${url}/core-memory`)).body.blocks.length).toBe(34)
})

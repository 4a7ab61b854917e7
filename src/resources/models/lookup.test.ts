import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Client, startTestServer, type TestServer } from '../../../test/server.ts'
import { KEY, type StandIn, startOpenAi } from '../../../test/stand-ins/openai.ts'

let acme: StandIn
let server: TestServer
beforeEach(async () => {
  acme = await startOpenAi()
  const base = { name: 'openai', type: 'openai' as const, apiKey: KEY, baseUrl: acme.url }
  server = await startTestServer({ providers: [base] })
})
afterEach(async () => {
  await server.close()
  await acme.close()
})

const listings = () => acme.asked.filter(({ path }) => path.endsWith('/models')).length

const handles = async (client: Client) =>
  (await client.get('/v1/models/')).body.map(({ handle }: { handle: string }) => handle)

/** A provider of an organization's own, whose models are listed. */
async function addOwn(client: Client) {
  const body = { name: 'own', provider_type: 'openai', api_key: KEY, base_url: acme.url }
  expect((await client.post('/v1/providers/', body)).status).toBe(200)
  await server.settle()
}

test('a refresh lists the models of all providers of an organization at once, on both surfaces', async () => {
  const { alice, bob } = server
  await addOwn(alice)
  acme.models = ['gpt-new']
  const refreshed = await alice.post('/v1/models/refresh')
  expect(refreshed.status).toBe(200)
  const listed = refreshed.body.map(({ handle }: { handle: string }) => handle)
  expect(listed).toEqual(['openai/gpt-new', 'own/gpt-new', 'cairn/scripted'])
  expect(await handles(bob)).toEqual(['openai/gpt-new', 'cairn/scripted'])
  expect((await bob.post('/letta/v1/models/refresh')).body).toMatchObject([{ handle: 'openai/gpt-new' }, {}])
  expect((await (await server.withScopes('read')).post('/v1/models/refresh')).status).toBe(403)
})

test('a refresh of a provider that fails leaves its models, and those of others are listed', async () => {
  await addOwn(server.alice)
  const before = await handles(server.alice)
  acme.otherwise = () => 'cut'
  expect((await server.alice.post('/v1/models/refresh')).status).toBe(200)
  expect(await handles(server.alice)).toEqual(before)
})

describe('a handle that its provider had not when it was listed', () => {
  test.each([
    ['an agent', '/v1/agents/', { model: 'openai/gpt-new' }],
    ['an agent, by an embedding model', '/v1/agents/', { embedding: 'openai/bge-odd' }],
    ['an archive', '/v1/archives/', { name: 'A', embedding: 'openai/bge-odd' }],
    ['a folder', '/letta/v1/folders/', { name: 'F', embedding: 'openai/bge-odd' }],
  ])('is looked for once at its provider: %s', async (_, path, body) => {
    const { alice } = server
    await alice.post('/v1/models/refresh')
    const change = path.includes('agents') ? { model: 'openai/gpt-newer' } : { embedding: 'openai/acme-embed' }
    acme.models = [...acme.models, 'gpt-new', 'bge-odd']
    const before = listings()
    const made = await alice.post(path, body, { 'idempotency-key': 'one' })
    expect([made.status, made.body.detail, made.headers.warning]).toEqual([200, undefined, undefined])
    expect(listings()).toBe(before + 1)
    acme.models = [...acme.models, 'gpt-newer']
    expect((await alice.patch(`${path}${made.body.id}`, change)).status).toBe(200)
  })

  test('is looked for once at its provider: an import, by a header', async () => {
    const { alice, app } = server
    await alice.post('/v1/models/refresh')
    acme.models = [...acme.models, 'bge-odd']
    const before = listings()
    const payload = new FormData()
    payload.append('file', new Blob([JSON.stringify({ agents: [{ id: 'agent-0', name: 'Filed' }] })]), 'filed.af')
    const headers = { authorization: `Bearer ${alice.key}`, 'x-override-embedding-model': 'openai/bge-odd' }
    const imported = await app.inject({ method: 'POST', url: '/v1/agents/import', headers, payload })
    expect([imported.statusCode, imported.body]).toEqual([200, expect.any(String)])
    expect(listings()).toBe(before + 1)
    const { body } = await alice.get(`/v1/agents/${imported.json().agent_ids[0]}`)
    expect(body.embedding).toBe('openai/bge-odd')
  })

  test('is looked for at the provider of its organization, and refused where that has none either', async () => {
    const { alice, bob } = server
    await addOwn(alice)
    acme.models = [...acme.models, 'gpt-new']
    expect((await bob.post('/v1/agents/', { model: 'own/gpt-new' })).status).toBe(422)
    expect((await alice.post('/v1/agents/', { model: 'own/gpt-new' })).status).toBe(200)
    const before = listings()
    const refused = await alice.post('/v1/agents/', { model: 'own/gpt-none' })
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'model'])
    expect(listings()).toBe(before + 1)
  })

  test('is refused as ever when the provider fails', async () => {
    await server.alice.post('/v1/models/refresh')
    acme.otherwise = () => 'cut'
    expect((await server.alice.post('/v1/agents/', { model: 'openai/gpt-new' })).status).toBe(422)
    expect((await server.alice.post('/v1/agents/', { model: 'openai/gpt-4o' })).status).toBe(200)
  })
})

describe('an agent with an embedding model that no provider offers', () => {
  test.each(['nobody/knows', 'openai/text-embedding-9', 'mistral/mistral-embed', 'letta/letta-free'])(
    'has it as it was asked for, with a warning, and its first passage is refused: %s',
    async (embedding) => {
      const { alice } = server
      await alice.post('/v1/models/refresh')
      for (const surface of ['', '/letta']) {
        const made = await alice.post(`${surface}/v1/agents/`, { embedding, enable_sleeptime: true })
        expect(made).toMatchObject({ status: 200, body: { embedding } })
        expect(made.headers.warning).toMatch(/^299 - "The embedding model is stored, but cannot be used: [ -~]+"$/)
        const partner = made.body.managed_group.agent_ids[0]
        for (const id of [made.body.id, partner]) {
          expect((await alice.get(`/v1/agents/${id}`)).body.embedding).toBe(embedding)
          const refused = await alice.post(`/v1/agents/${id}/archival-memory`, { text: 'first' })
          expect([refused.status, refused.body.errors?.[0].field]).toEqual([422, 'embedding'])
          expect((await alice.get(`/v1/archives/?agent_id=${id}`)).body).toEqual([])
        }
      }
    },
  )

  test('gets it by a change, too, and can use it once a provider has it', async () => {
    const { alice } = server
    await alice.post('/v1/models/refresh')
    const { id } = (await alice.post('/v1/agents/', { embedding: 'cairn/lexical' })).body
    const changed = await alice.patch(`/v1/agents/${id}`, { embedding: 'openai/bge-odd' })
    expect(changed).toMatchObject({ status: 200, body: { embedding: 'openai/bge-odd' } })
    expect(changed.headers.warning).toContain('openai')
    expect(changed.body).not.toHaveProperty('embedding_config')
    acme.models = [...acme.models, 'bge-odd']
    await alice.post('/v1/models/refresh')
    expect((await alice.post(`/v1/agents/${id}/archival-memory`, { text: 'first' })).status).toBe(200)
    const [archive] = (await alice.get(`/v1/archives/?agent_id=${id}`)).body
    expect(archive.embedding_config).toMatchObject({ handle: 'openai/bge-odd', embedding_dim: 7 })
  })
})

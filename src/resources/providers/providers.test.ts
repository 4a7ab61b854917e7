import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Client, startTestServer, type TestServer } from '../../../test/server.ts'
import { KEY, MODELS, type StandIn, startOpenAi } from '../../../test/stand-ins/openai.ts'

let server: TestServer
let acme: StandIn
beforeAll(async () => {
  server = await startTestServer()
  acme = await startOpenAi()
})
afterEach(() => {
  acme.otherwise = () => undefined
  acme.models = [...MODELS]
  acme.asked.length = 0
})
afterAll(async () => {
  await server.close()
  await acme.close()
})

let made = 0
/** A provider of a client's that is the stand-in. */
async function create(client: Client, body: object = {}) {
  const name = `acme-${++made}`
  const reply = await client.post('/v1/providers/', {
    name,
    provider_type: 'openai',
    api_key: KEY,
    base_url: acme.url,
    ...body,
  })
  expect(reply.status).toBe(200)
  return reply.body
}

const namesOf = (models: { name: string }[]) => models.map(({ name }) => name).sort()
const llms = async (client: Client, provider: string) =>
  namesOf((await client.get(`/v1/models/?provider_name=${provider}`)).body)

describe('providers', () => {
  test('are created, listed, retrieved, changed and deleted', async () => {
    const { alice } = server
    const provider = await create(alice)
    expect(provider).toMatchObject({
      provider_type: 'openai',
      provider_category: 'byok',
      base_url: acme.url,
      organization_id: server.organizations.alice,
      models: [],
    })
    const url = `/v1/providers/${provider.id}`
    expect((await alice.get(url)).body).toEqual(provider)
    expect((await alice.get(`/v1/providers/?name=${provider.name}`)).body).toEqual([provider])
    expect((await alice.get('/v1/providers/?provider_type=anthropic')).body).toEqual([])
    const changed = await alice.patch(url, { api_version: '1', models: [{ name: 'own', model_type: 'llm' }] })
    expect(changed.body).toMatchObject({ api_version: '1', models: [{ name: 'own', model_type: 'llm' }] })
    expect((await alice.patch(url, { api_version: null, models: null })).body).toMatchObject({ models: [] })
    const deleted = await alice.delete(url)
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { message: `Provider id=${provider.id} successfully deleted` },
    ])
    expect((await alice.get(url)).status).toBe(404)
    await server.settle()
  })

  test('answer at once, and list their models in the background', async () => {
    const { alice } = server
    const provider = await create(alice)
    expect(acme.asked).toEqual([])
    expect(await llms(alice, provider.name)).toEqual([])
    await server.settle()
    expect(await llms(alice, provider.name)).toEqual(['gpt-4o', 'gpt-4o-mini', 'gpt-5-mini'])
    const embedding = (await alice.get('/v1/models/embedding')).body.filter(
      (model: { provider_name: string }) => model.provider_name === provider.name,
    )
    // The dimension of one is known, that of the other was measured.
    expect(embedding).toMatchObject([
      {
        handle: `${provider.name}/acme-embed`,
        embedding_dim: 24,
        embedding_endpoint: acme.url,
        model_type: 'embedding',
      },
      { handle: `${provider.name}/text-embedding-3-small`, embedding_dim: 1536, embedding_endpoint_type: 'openai' },
    ])
    const { last_synced, sync_error } = (await alice.get(`/v1/providers/${provider.id}`)).body
    expect([typeof last_synced, sync_error]).toEqual(['string', undefined])
  })

  test('keep the models their owner names, whatever the listing says', async () => {
    const { alice } = server
    const models = [
      { name: 'acme-embed', model_type: 'embedding', embedding_dim: 12, display_name: 'Ours' },
      { name: 'unlisted', model_type: 'llm', context_window: 4096, max_output_tokens: 512 },
    ]
    const provider = await create(alice, { models })
    await server.settle()
    expect(provider.models).toEqual(models)
    expect((await alice.get(`/v1/providers/${provider.id}`)).body.models).toEqual(models)
    const [unlisted] = (await alice.get(`/v1/models/?provider_name=${provider.name}`)).body.filter(
      ({ name }: { name: string }) => name === 'unlisted',
    )
    expect(unlisted).toMatchObject({ context_window: 4096, max_context_window: 4096, max_tokens: 512 })
    const embedding = (await alice.get('/v1/models/embedding')).body
    expect(embedding).toContainEqual(
      expect.objectContaining({ handle: `${provider.name}/acme-embed`, embedding_dim: 12, display_name: 'Ours' }),
    )
    const twice = await alice.patch(`/v1/providers/${provider.id}`, { models: [models[0], models[0]] })
    expect([twice.status, twice.body.errors[0].field]).toEqual([422, 'models[1].name'])
  })

  test('list their models anew when asked to, and keep the old ones when that fails', async () => {
    const { alice } = server
    const provider = await create(alice)
    const url = `/v1/providers/${provider.id}/refresh`
    acme.models = ['one', 'two']
    expect((await alice.patch(url)).body.last_synced).toBeDefined()
    expect(await llms(alice, provider.name)).toEqual(['one', 'two'])
    acme.models = ['two', 'three']
    await alice.patch(url)
    expect(await llms(alice, provider.name)).toEqual(['three', 'two'])
    acme.otherwise = () => 'cut'
    const failed = await alice.patch(url)
    expect([failed.status, failed.body.code]).toEqual([502, 'bad_gateway'])
    expect(failed.body.detail).toBe(`${provider.name} cannot be reached: it cuts the connection.`)
    expect(await llms(alice, provider.name)).toEqual(['three', 'two'])
    expect((await alice.get(`/v1/providers/${provider.id}`)).body.sync_error).toBe(failed.body.detail)
    acme.otherwise = () => undefined
    expect((await alice.patch(url)).body).not.toHaveProperty('sync_error')
    await server.settle()
  })

  test('that fail are asked again later, and tell why meanwhile', async () => {
    const { alice } = server
    let failures = 2
    acme.otherwise = () => (failures-- > 0 ? { status: 503, body: 'down' } : undefined)
    const provider = await create(alice)
    await server.settle()
    expect(await llms(alice, provider.name)).toHaveLength(3)
    acme.otherwise = () => ({ status: 503, body: 'down' })
    const other = await create(alice)
    await server.settle()
    expect((await alice.get(`/v1/providers/${other.id}`)).body.sync_error).toBe(`${other.name} answers 503.`)
    acme.asked.length = 0
    const wrong = await create(alice, { api_key: 'sk-wrong' })
    acme.otherwise = () => undefined
    await server.settle()
    expect((await alice.get(`/v1/providers/${wrong.id}`)).body.sync_error).toMatch(/does not accept the API key/)
    // A wrong key doesn't become right.
    expect(acme.asked).toHaveLength(1)
  })

  test('check credentials, stored or not, by asking the provider', async () => {
    const { alice } = server
    const body = { provider_type: 'openai', api_key: ` ${KEY}\n`, base_url: acme.url }
    const right = await alice.post('/v1/providers/check', body)
    expect([right.status, right.body]).toEqual([200, { message: 'Valid api key for provider_type=openai' }])
    const wrong = await alice.post('/v1/providers/check', { ...body, api_key: 'sk-wrong' })
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, 'api_key'])
    const provider = await create(alice)
    expect((await alice.post(`/v1/providers/${provider.id}/check`)).status).toBe(200)
    acme.otherwise = () => ({ status: 401, body: {} })
    expect((await alice.post(`/v1/providers/${provider.id}/check`)).status).toBe(422)
    acme.otherwise = () => ({ status: 200, body: '<html>' })
    expect((await alice.post(`/v1/providers/${provider.id}/check`)).status).toBe(502)
    const gone = await startOpenAi()
    await gone.close()
    const nobody = await alice.post('/v1/providers/check', { ...body, base_url: gone.url })
    expect([nobody.status, nobody.body.detail]).toEqual([502, 'openai cannot be reached: it refuses the connection.'])
    const unknown = await alice.post('/v1/providers/check', { provider_type: 'chatgpt_oauth', api_key: 'a' })
    expect([unknown.status, unknown.body.errors[0].field]).toEqual([422, 'provider_type'])
    await server.settle()
  })

  test('never give away a key: not in answers, not in the history, not readable in the database', async () => {
    const { alice, database } = server
    const secret = 'sk-very-secret'
    const provider = await create(alice, { api_key: secret, access_key: 'AKIA-very-secret' })
    await alice.patch(`/v1/providers/${provider.id}`, { api_key: `${secret}-2` })
    await server.settle()
    const told = await Promise.all(['', provider.id].map((path) => alice.get(`/v1/providers/${path}`)))
    expect(JSON.stringify(told)).not.toMatch(/very-secret|_enc|api_key|access_key/)
    const { rows } = await sql<{
      row: string
    }>`select to_jsonb(p)::text as row from providers p where id = ${provider.id}
      union all select to_jsonb(r)::text from revisions r where resource_id = ${provider.id}`.execute(database.kysely)
    expect(rows).toHaveLength(3)
    expect(JSON.stringify(rows)).not.toContain('very-secret')
    const { rows: history } = await sql<{ row: string }>`
      select resource::text as row from revisions where resource_id = ${provider.id}`.execute(database.kysely)
    expect(JSON.stringify(history)).not.toContain('_enc')
  })

  test('the same key again is no change', async () => {
    const { alice } = server
    const provider = await create(alice)
    const url = `/v1/providers/${provider.id}`
    const { etag } = (await alice.get(url)).headers
    await alice.patch(url, { api_key: KEY })
    expect((await alice.get(url)).headers.etag).toBe(etag)
    const stale = await alice.patch(url, { api_version: '2' }, { 'if-match': '"7"' })
    expect(stale.status).toBe(412)
    await server.settle()
  })

  test('a key is not sent to another address than the one it was given for', async () => {
    const { alice } = server
    const provider = await create(alice)
    await server.settle()
    const other = await startOpenAi()
    const url = `/v1/providers/${provider.id}`
    const moved = await alice.patch(url, { base_url: other.url })
    expect([moved.status, moved.body.errors[0].field]).toEqual([422, 'api_key'])
    expect((await alice.patch(url, { base_url: null })).status).toBe(422)
    await alice.post(`${url}/check`)
    expect(other.asked).toEqual([])
    expect((await alice.patch(url, { base_url: other.url, api_key: KEY })).status).toBe(200)
    await server.settle()
    expect(other.asked.length).toBeGreaterThan(0)
    await other.close()
  })

  test.each([
    [{ name: 'cairn' }, 409],
    [{ name: 'a/b' }, 422],
    [{ name: 'a b' }, 422],
    [{ base_url: 'nowhere' }, 422],
    [{ base_url: 'file:///etc/passwd' }, 422],
    [{ base_url: 'http://user:pw@example.com' }, 422],
    [{ base_url: 'http://127.0.0.1/v1?x=1' }, 422],
    [{ api_key: ' ' }, 422],
    [{ api_key: null }, 422],
    [{ provider_type: 'cairn' }, 422],
    [{ provider_type: 'vllm', base_url: '' }, 422],
    [{ provider_type: 'bedrock', region: 'evil.example/' }, 422],
    [{ models: [{ name: 'm', model_type: 'video' }] }, 422],
    [{ secret: 'x' }, 422],
  ])('are refused with %j', async (change, status) => {
    const body = { name: 'refused', provider_type: 'openai', api_key: KEY, base_url: acme.url, ...change }
    const reply = await server.alice.post('/v1/providers/', body)
    expect([reply.status, reply.body.code]).toEqual([status, status === 409 ? 'conflict' : 'invalid'])
  })

  test('of one name are there once in an organization', async () => {
    const { alice, bob } = server
    const { name } = await create(alice)
    const body = { name, provider_type: 'openai', api_key: KEY, base_url: acme.url }
    const again = await alice.post('/v1/providers/', body)
    expect([again.status, again.headers['x-should-retry']]).toEqual([409, 'false'])
    expect((await bob.post('/v1/providers/', body)).status).toBe(200)
    await server.settle()
  })

  test('and their models belong to one organization', async () => {
    const { alice, bob } = server
    const provider = await create(alice, { models: [{ name: 'hers', model_type: 'embedding', embedding_dim: 3 }] })
    await server.settle()
    acme.asked.length = 0
    const url = `/v1/providers/${provider.id}`
    for (const [method, path, body] of [
      ['GET', url],
      ['PATCH', url, { api_version: '1' }],
      ['PATCH', `${url}/refresh`],
      ['POST', `${url}/check`],
      ['DELETE', url],
    ] as const) {
      expect([method, path, (await bob.call(method, path, body)).status]).toEqual([method, path, 404])
    }
    expect(acme.asked).toEqual([])
    expect(await llms(bob, provider.name)).toEqual([])
    expect(JSON.stringify((await bob.get('/v1/models/embedding')).body)).not.toContain('hers')
    expect((await alice.get(url)).status).toBe(200)
  })
})

describe('an address inside', () => {
  test('is refused with the remedy, when it is given and when its name leads there later', async () => {
    const strict = await startTestServer({ allowedNetworks: [] })
    const body = { name: 'inner', provider_type: 'openai', api_key: KEY }
    const refused = await strict.alice.post('/v1/providers/', { ...body, base_url: acme.url })
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'base_url'])
    expect(refused.body.detail).toContain('CAIRN_ALLOWED_NETWORKS')
    expect(
      (await strict.alice.post('/v1/providers/check', { ...body, name: undefined, base_url: acme.url })).status,
    ).toBe(422)
    // As if its name had led elsewhere when it was given.
    const provider = (await strict.alice.post('/v1/providers/', { ...body, base_url: 'https://192.88.98.1/v1' })).body
    await sql`update providers set base_url = ${acme.url} where id = ${provider.id}`.execute(strict.database.kysely)
    await strict.settle()
    const { sync_error } = (await strict.alice.get(`/v1/providers/${provider.id}`)).body
    expect(sync_error).toMatch(/CAIRN_ALLOWED_NETWORKS/)
    expect(acme.asked).toEqual([])
    await strict.close()
  })
})

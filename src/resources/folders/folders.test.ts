import { describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../test/server.ts'
import { walk } from '../../../test/walk.ts'

const server = useTestServer()

const UNKNOWN = 'source-00000000-0000-4000-8000-000000000000'

const makeFolder = async (client: Client, body: object) => (await client.post('/v1/folders/', body)).body
const makeAgent = async (client: Client, body: object) =>
  (await client.post('/v1/agents/', { name: 'Member', model: 'openai/gpt-4o-mini', ...body })).body

describe('folders', () => {
  test('what is created is what is retrieved, modified and deleted', async () => {
    const { alice } = server
    const body = { name: 'Manuals', description: 'Of tools', instructions: 'Quote them', metadata: { a: null } }
    const made = await alice.post('/v1/folders', body)
    expect(made.status).toBe(200)
    expect(made.body).toMatchObject(body)
    expect(made.body.id).toMatch(/^source-.{36}$/)
    const url = `/v1/folders/${made.body.id}`
    expect((await alice.get(url)).body).toEqual(made.body)

    const changed = await alice.patch(url, { name: 'Handbooks', description: null, instructions: '', metadata: {} })
    expect(changed.body).toMatchObject({ id: made.body.id, name: 'Handbooks', instructions: '', metadata: {} })
    expect(changed.body).not.toHaveProperty('description')
    const same = await alice.patch(url, {})
    expect(same.headers.etag).toBe(changed.headers.etag)

    const gone = await alice.delete(url)
    expect([gone.status, gone.body]).toEqual([200, null])
    expect(gone.headers['content-type']).toContain('application/json')
    expect((await alice.get(url)).status).toBe(404)
    expect((await alice.delete(url)).status).toBe(404)
  })

  test('without an embedding model a folder is searched by text, in pieces of the length asked for', async () => {
    const { alice } = server
    const plain = await makeFolder(alice, { name: 'Plain' })
    expect(plain.embedding_config).toMatchObject({ handle: 'cairn/lexical', embedding_chunk_size: 300 })
    const cut = await makeFolder(alice, { name: 'Cut', embedding_chunk_size: 100 })
    expect(cut.embedding_config).toMatchObject({ handle: 'cairn/lexical', embedding_chunk_size: 100 })
    expect((await alice.get(`/v1/folders/${plain.id}`)).body.embedding_config.embedding_chunk_size).toBe(300)
  })

  test('an embedding model is chosen by its handle or described in full', async () => {
    const { alice } = server
    const embedding = 'openai/text-embedding-3-small'
    const byHandle = await makeFolder(alice, { name: 'By handle', embedding, embedding_chunk_size: 200 })
    expect(byHandle.embedding_config).toMatchObject({ handle: embedding, embedding_chunk_size: 200 })
    const embedding_config = { embedding_model: 'mine', embedding_dim: 8, embedding_endpoint_type: 'vllm' }
    const described = await makeFolder(alice, { name: 'Described', embedding_config })
    expect(described.embedding_config).toEqual(embedding_config)
    const url = `/v1/folders/${described.id}`
    const larger = { ...embedding_config, embedding_dim: 16 }
    expect((await alice.patch(url, { embedding_config: larger })).body.embedding_config).toEqual(larger)
    const unknown = await alice.post('/v1/folders/', { name: 'Unknown', embedding: 'nobody/knows' })
    expect(unknown.body.errors).toMatchObject([{ in: 'body', field: 'embedding' }])
  })

  test('a name and an embedding configuration can be changed but not taken away', async () => {
    const { alice } = server
    const { id } = await makeFolder(alice, { name: 'Lasting' })
    const reply = await alice.patch(`/v1/folders/${id}`, { name: null, embedding_config: null })
    expect(reply.status).toBe(422)
    expect(reply.body.errors.map((fault: { field: string }) => fault.field).sort()).toEqual([
      'embedding_config',
      'name',
    ])
    const nameless = await alice.post('/v1/folders/', { nam: 'Typo' })
    expect(nameless.body.message).toContain('did you mean "name"?')
  })

  test('one organization has no two folders of one name; another organization may have its own', async () => {
    const { alice, bob } = server
    const { id } = await makeFolder(alice, { name: 'Taken' })
    const twice = await alice.post('/v1/folders/', { name: 'Taken' })
    expect(twice.status).toBe(409)
    expect(twice.headers['x-should-retry']).toBe('false')
    const other = await makeFolder(alice, { name: 'Free' })
    expect((await alice.patch(`/v1/folders/${other.id}`, { name: 'Taken' })).status).toBe(409)
    expect((await alice.patch(`/v1/folders/${id}`, { name: 'Taken' })).status).toBe(200)
    expect((await bob.post('/v1/folders/', { name: 'Taken' })).status).toBe(200)
  })

  test('a folder is found by its exact name, whatever characters it has', async () => {
    const { alice, bob } = server
    const name = 'Über/100 %?'
    const { id } = await makeFolder(alice, { name })
    const url = `/v1/folders/name/${encodeURIComponent(name)}`
    const found = await alice.get(url)
    expect(found.headers['content-type']).toContain('application/json')
    expect(found.body).toBe(id)
    expect((await alice.get('/v1/folders/name/über')).status).toBe(404)
    expect((await bob.get(url)).status).toBe(404)
  })

  test('lists are oldest first, filtered by part of the name in any case, and counted alike', async () => {
    const { bob } = server
    const names = ['Walk a', 'walk b', 'WALK 100%', 'walk 1000', 'walk_d', 'other']
    for (const name of names) await makeFolder(bob, { name })
    const named = (folders: { name: string }[]) => folders.map(({ name }) => name)
    for (const [part, expected] of [
      ['walk', names.slice(0, 5)],
      ['100%', ['WALK 100%']],
      ['k_', ['walk_d']],
      ['\\', []],
    ] as const) {
      const query = `name=${encodeURIComponent(part)}`
      expect(named(await walk<{ name: string }>(bob, `/v1/folders/?${query}&limit=2`))).toEqual(expected)
      expect(named(await walk<{ name: string }>(bob, `/v1/folders/?${query}&limit=1&order=desc`))).toEqual(
        [...expected].reverse(),
      )
      expect((await bob.get(`/v1/folders/count?${query}`)).body).toBe(expected.length)
    }
    expect((await bob.get('/v1/folders/count')).body).toBe((await walk(bob, '/v1/folders?limit=4')).length)
  })

  test('a cursor works after its folder is gone; a malformed one is refused', async () => {
    const { alice } = server
    const made = []
    for (const name of ['Cursor 1', 'Cursor 2', 'Cursor 3']) made.push(await makeFolder(alice, { name }))
    await alice.delete(`/v1/folders/${made[1].id}`)
    const url = '/v1/folders/?name=Cursor'
    expect((await alice.get(`${url}&after=${made[1].id}`)).body).toEqual([made[2]])
    expect((await alice.get(`${url}&before=${made[1].id}`)).body).toEqual([made[0]])
    const malformed = await alice.get(`${url}&after=source-1`)
    expect(malformed.body.errors).toEqual([
      { in: 'query', field: 'after', message: 'must be an id of the form source-<uuid>' },
    ])
    expect((await alice.get('/v1/folders/?limit=201')).status).toBe(422)
  })

  test('the agents of a folder are told by their ids, newest first, page by page', async () => {
    const { alice, bob } = server
    const { id } = await makeFolder(alice, { name: 'Shared' })
    const agents: string[] = []
    for (const hidden of [false, true, false]) agents.unshift((await makeAgent(alice, { folder_ids: [id], hidden })).id)
    await makeAgent(alice, {})
    const url = `/v1/folders/${id}/agents`
    expect(await walk(alice, `${url}?limit=1`)).toEqual(agents)
    expect(await walk(alice, `${url}?limit=2&order=asc`)).toEqual([...agents].reverse())
    expect((await alice.get(`${url}?before=${agents[2]}&limit=1`)).body).toEqual([agents[1]])
    expect((await bob.get(url)).status).toBe(404)
    expect((await alice.get(`/v1/folders/${UNKNOWN}/agents`)).status).toBe(404)
    await alice.delete(`/v1/agents/${agents[0]}`)
    expect((await alice.get(url)).body).toEqual(agents.slice(1))
    expect((await alice.delete(`/v1/folders/${id}`)).status).toBe(200)
  })

  test('another organization gets the answer of a folder that does not exist', async () => {
    const { alice, bob } = server
    const { id } = await makeFolder(alice, { name: 'Hers' })
    const foreign = await bob.get(`/v1/folders/${id}`)
    const missing = await bob.get(`/v1/folders/${UNKNOWN}`)
    const plain = (reply: typeof foreign, own: string) =>
      JSON.stringify({ ...reply.body, request_id: '' }).replaceAll(own, 'ID')
    expect(foreign.status).toBe(404)
    expect(plain(foreign, id)).toBe(plain(missing, UNKNOWN))
    expect((await bob.patch(`/v1/folders/${id}`, { name: 'His' })).status).toBe(404)
    expect((await bob.delete(`/v1/folders/${id}`)).status).toBe(404)
    expect((await bob.get('/v1/folders/?name=Hers')).body).toEqual([])
    expect((await alice.get(`/v1/folders/${id}`)).body.name).toBe('Hers')
  })
})

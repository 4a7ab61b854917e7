import { describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../test/server.ts'
import { walk } from '../../../test/walk.ts'

const server = useTestServer()

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

let keys = 0
const make = (body: object, client = server.alice) =>
  client.post('/v1/identities/', { identifier_key: `key ${keys++}`, name: 'Ann', identity_type: 'user', ...body })
const makeAgent = async (client: Client, body: object = {}): Promise<string> =>
  (await client.post('/v1/agents/', { name: 'Agent', model: 'openai/gpt-4o-mini', ...body })).body.id
const makeBlock = async (client: Client): Promise<string> =>
  (await client.post('/v1/blocks/', { label: 'human', value: 'text' })).body.id

/** What is read of a listed one. */
interface Shown {
  id: string
  name: string
}

describe('identities', () => {
  test('what is created is what is retrieved, modified and deleted', async () => {
    const { alice } = server
    const properties = [
      { key: 'plan', type: 'string', value: 'free' },
      { key: 'seats', type: 'number', value: 0 },
      { key: 'beta', type: 'boolean', value: false },
      { key: 'more', type: 'json', value: { deep: { none: null } } },
    ]
    const body = { identifier_key: 'ann', name: 'Ann', identity_type: 'user', project_id: 'p', properties }
    const made = await alice.post('/v1/identities', body)
    expect(made.status).toBe(200)
    expect(made.body).toEqual({
      id: expect.stringMatching(/^identity-.{36}$/),
      agent_ids: [],
      block_ids: [],
      ...body,
    })
    const url = `/v1/identities/${made.body.id}`
    const read = await alice.get(url)
    expect(read.body).toEqual(made.body)
    expect(read.headers.etag).toBe(made.headers.etag)

    const changed = await alice.patch(url, { name: 'Anna', project_id: null, properties: [properties[0]] })
    const { project_id, ...rest } = body
    expect(changed.body).toMatchObject({ ...rest, name: 'Anna', properties: [properties[0]] })
    expect(changed.body).not.toHaveProperty('project_id')
    expect((await alice.patch(url, { name: 'Anna' })).headers.etag).toBe(changed.headers.etag)
    expect((await alice.patch(url, { name: null, agent_ids: null })).body.errors).toHaveLength(2)

    const gone = await alice.delete(url)
    expect([gone.status, gone.body]).toEqual([200, null])
    expect((await alice.get(url)).status).toBe(404)
  })

  test('properties are replaced whole', async () => {
    const { alice } = server
    const { id } = (await make({ properties: [{ key: 'a', type: 'string', value: '1' }] })).body
    const url = `/v1/identities/${id}`
    const properties = [{ key: 'b', type: 'string', value: '2' }]
    const reply = await alice.call('PUT', `${url}/properties`, properties)
    expect([reply.status, reply.body]).toEqual([200, null])
    expect((await alice.get(url)).body.properties).toEqual(properties)
    await alice.call('PUT', `${url}/properties`, [])
    expect((await alice.get(url)).body.properties).toEqual([])
    const bad = await alice.call('PUT', `${url}/properties`, [{ key: 'b', type: 'date', value: '2' }])
    expect(bad.body.errors).toMatchObject([{ in: 'body', field: '[0].type' }])
    expect((await server.bob.call('PUT', `${url}/properties`, properties)).status).toBe(404)
  })

  test('the value of a property is of its type', async () => {
    const { alice } = server
    const values = { string: 'a', number: 1.5, boolean: false, json: { a: null } }
    const { id } = (await make({})).body
    const url = `/v1/identities/${id}`
    for (const type of Object.keys(values)) {
      for (const [of, value] of Object.entries(values)) {
        const properties = [{ key: 'k', type, value }]
        const replies = [
          await make({ properties }),
          await alice.patch(url, { properties }),
          await alice.patch(`/letta${url}`, { properties }),
          await alice.call('PUT', `${url}/properties`, properties),
        ]
        expect([type, of, ...replies.map(({ status }) => status)]).toEqual([
          type,
          of,
          ...Array(4).fill(type === of ? 200 : 422),
        ])
        if (type !== of) expect(replies[1]!.body.errors).toMatchObject([{ in: 'body', field: 'properties[0].value' }])
      }
    }
  })

  test('a key is unique within its project, and within what belongs to no project', async () => {
    const { alice, bob } = server
    const identifier_key = 'unique'
    const made = await make({ identifier_key })
    expect(made.status).toBe(200)
    const twice = await make({ identifier_key })
    expect(twice.status).toBe(409)
    expect(twice.headers['x-should-retry']).toBe('false')
    const other = await make({ identifier_key, project_id: 'p' })
    expect(other.status).toBe(200)
    expect((await alice.patch(`/v1/identities/${other.body.id}`, { project_id: null })).status).toBe(409)
    expect((await make({ identifier_key }, bob)).status).toBe(200)
  })

  test('an upsert makes the identity, then sets what is given on it, and touches no other', async () => {
    const { alice, bob } = server
    const agent = await makeAgent(alice)
    const put = (body: object, client = alice) =>
      client.call('PUT', '/v1/identities/', { identifier_key: 'upsert', identity_type: 'user', ...body })
    const properties = [{ key: 'a', type: 'string', value: '1' }]
    const made = await put({ name: 'Made', agent_ids: [agent], properties })
    expect(made.status).toBe(200)
    expect(made.body).toMatchObject({ name: 'Made', agent_ids: [agent], properties })
    const inProject = await put({ name: 'In a project', project_id: 'p' })
    const his = await put({ name: 'His' }, bob)
    expect(new Set([made.body.id, inProject.body.id, his.body.id]).size).toBe(3)

    const again = await put({ name: 'Again', identity_type: 'org' })
    expect(again.body).toEqual({ ...made.body, name: 'Again', identity_type: 'org' })
    const emptied = await put({ name: 'Again', identity_type: 'org', agent_ids: [], properties: [] })
    expect(emptied.body).toEqual({ ...again.body, agent_ids: [], properties: [] })
    expect((await alice.get(`/v1/identities/${inProject.body.id}`)).body).toEqual(inProject.body)
    expect((await bob.get(`/v1/identities/${his.body.id}`)).body).toEqual(his.body)
  })

  test('upserts of one key at the same time make one identity, and none of them fails', async () => {
    const { alice } = server
    const body = { identifier_key: 'at once', name: 'Ann', identity_type: 'user' }
    const replies = await Promise.all(Array.from({ length: 5 }, () => alice.call('PUT', '/v1/identities/', body)))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect((await alice.get('/v1/identities/count?identifier_key=at%20once')).body).toBe(1)
  })

  test('an upsert with the ETag of the identity changes it, and is a 412 when the identity or its agents have changed', async () => {
    const { alice } = server
    const { body, headers } = await make({ agent_ids: [await makeAgent(alice)] })
    const { identifier_key, identity_type } = body
    const upsert = (name: string, etag: string | undefined) =>
      alice.call('PUT', '/v1/identities/', { identifier_key, identity_type, name }, { 'if-match': etag! })
    const changed = await upsert('Second', headers.etag)
    expect([changed.status, changed.body.name]).toEqual([200, 'Second'])
    expect((await upsert('Stale', headers.etag)).status).toBe(412)
    expect((await upsert('Invented', changed.headers.etag!.replace(/\..*/, '.invented"'))).status).toBe(412)
    await alice.delete(`/v1/agents/${body.agent_ids[0]}`)
    expect((await upsert('Without its agent', changed.headers.etag)).status).toBe(412)
    expect((await alice.get(`/v1/identities/${body.id}`)).body.name).toBe('Second')
  })

  test('agents and blocks are attached for real, replaced as a set, and true when one is deleted', async () => {
    const { alice } = server
    const [a, b, c] = [await makeAgent(alice), await makeAgent(alice), await makeAgent(alice)]
    const [x, y] = [await makeBlock(alice), await makeBlock(alice)]
    const made = await make({ agent_ids: [a, b], block_ids: [x, y] })
    expect(made.body).toMatchObject({ agent_ids: [a, b], block_ids: [x, y] })
    const url = `/v1/identities/${made.body.id}`
    const withIdentity = async () => (await alice.get(`/v1/agents?identity_id=${made.body.id}&order=asc`)).body
    expect((await withIdentity()).map(({ id }: { id: string }) => id)).toEqual([a, b])
    const changed = await alice.patch(url, { agent_ids: [b, c] }, { 'if-match': made.headers.etag! })
    expect(changed.body).toMatchObject({ agent_ids: [b, c], block_ids: [x, y] })
    expect(changed.headers.etag).not.toBe(made.headers.etag)
    await alice.delete(`/v1/agents/${b}`)
    await alice.delete(`/v1/blocks/${x}`)
    expect((await alice.get(url)).body).toMatchObject({ agent_ids: [c], block_ids: [y] })
    expect((await alice.patch(url, { agent_ids: [], block_ids: [] })).body).toMatchObject({
      agent_ids: [],
      block_ids: [],
    })
    await alice.delete(url)
    expect((await alice.get(`/v1/agents/${c}`)).status).toBe(200)
  })

  test('an identity that gains an agent keeps its place among the identities of the agents it had', async () => {
    const { alice } = server
    const [a, b] = [await makeAgent(alice), await makeAgent(alice)]
    const first = (await make({ agent_ids: [a] })).body.id
    const second = (await make({ agent_ids: [a] })).body.id
    await alice.patch(`/v1/identities/${first}`, { agent_ids: [a, b] })
    const agent = await alice.get(`/v1/agents/${a}?include=agent.identities`)
    expect(agent.body.identity_ids).toEqual([first, second])
  })

  test('agents and blocks of nobody or of another organization are not found, and nothing is written', async () => {
    const { alice, bob } = server
    const { id } = (await make({})).body
    const before = (await alice.get('/v1/identities/count')).body
    const [agent, block] = [await makeAgent(bob), await makeBlock(bob)]
    for (const [missing, body] of [
      [agent, { agent_ids: [agent] }],
      [`agent-${UNKNOWN}`, { agent_ids: [`agent-${UNKNOWN}`] }],
      [block, { block_ids: [block] }],
      [`block-${UNKNOWN}`, { block_ids: [`block-${UNKNOWN}`] }],
    ] as const) {
      const whole = { identifier_key: 'nobody', name: 'Nobody', identity_type: 'other', ...body }
      for (const reply of [
        await alice.post('/v1/identities/', whole),
        await alice.call('PUT', '/v1/identities/', whole),
        await alice.patch(`/v1/identities/${id}`, body),
      ]) {
        expect(reply.status).toBe(404)
        expect(reply.body.detail).toContain(missing)
      }
    }
    expect((await alice.get('/v1/identities/count')).body).toBe(before)
    expect((await make({ agent_ids: ['agent-1'] })).status).toBe(422)
  })

  test('another organization gets the answer of an identity that does not exist', async () => {
    const { alice, bob } = server
    const { id } = (await make({ name: 'Hers' })).body
    const plain = ({ body }: { body: object }, own: string) =>
      JSON.stringify({ ...body, request_id: '' }).replaceAll(own, 'ID')
    for (const path of ['', '/agents', '/blocks']) {
      const foreign = await bob.get(`/v1/identities/${id}${path}`)
      const missing = await bob.get(`/v1/identities/identity-${UNKNOWN}${path}`)
      expect(foreign.status).toBe(404)
      expect(plain(foreign, id)).toBe(plain(missing, `identity-${UNKNOWN}`))
    }
    expect((await bob.patch(`/v1/identities/${id}`, { name: 'His' })).status).toBe(404)
    expect((await bob.patch(`/v1/identities/${id}`, {})).status).toBe(404)
    expect((await bob.delete(`/v1/identities/${id}`)).status).toBe(404)
    expect((await alice.get(`/v1/identities/${id}`)).body.name).toBe('Hers')
    expect((await alice.get('/v1/identities/identity-1')).body.message).toContain('identity-<uuid>')
  })

  test('lists are newest first, filtered as asked, and counted alike', async () => {
    const { bob } = server
    for (const body of [
      { name: 'List a', identifier_key: 'k1' },
      { name: 'LIST b%', identifier_key: 'k2', identity_type: 'org', project_id: 'x' },
      { name: 'list c_', identifier_key: 'K1', identity_type: 'org' },
    ])
      await make(body, bob)
    for (const [query, expected] of [
      ['name=list', ['list c_', 'LIST b%', 'List a']],
      ['name=%25', ['LIST b%']],
      ['name=_', ['list c_']],
      ['identifier_key=k1', ['List a']],
      ['name=list&identity_type=org', ['list c_', 'LIST b%']],
      ['project_id=x', ['LIST b%']],
      ['name=list&project_id=', ['list c_', 'LIST b%', 'List a']],
    ] as const) {
      const found = await walk<Shown>(bob, `/v1/identities/?${query}&limit=1`)
      expect(found.map(({ name }) => name)).toEqual(expected)
      expect(await walk<Shown>(bob, `/v1/identities/?${query}&limit=2&order=asc`)).toEqual([...found].reverse())
      expect((await bob.get(`/v1/identities/count?${query}`)).body).toBe(expected.length)
    }
    expect((await bob.get('/v1/identities?identity_type=group')).status).toBe(422)
    const [newest, middle, oldest] = await walk<Shown>(bob, '/v1/identities?name=list')
    expect((await bob.get(`/v1/identities?name=list&before=${oldest!.id}&limit=1`)).body).toEqual([middle])
    await bob.delete(`/v1/identities/${middle!.id}`)
    expect((await bob.get(`/v1/identities?name=list&before=${middle!.id}`)).body).toEqual([newest])
  })

  test('the agents and the blocks of an identity are listed, newest first, page by page', async () => {
    const { alice } = server
    const agents = [await makeAgent(alice), await makeAgent(alice, { hidden: true }), await makeAgent(alice)]
    const blocks = [await makeBlock(alice), await makeBlock(alice), await makeBlock(alice)]
    const { id } = (await make({ agent_ids: agents, block_ids: blocks })).body
    for (const [path, ids] of [
      ['agents', agents],
      ['blocks', blocks],
    ] as const) {
      const url = `/v1/identities/${id}/${path}`
      const listed = async (query: string) => (await walk<Shown>(alice, `${url}?${query}`)).map((one) => one.id)
      expect(await listed('limit=1')).toEqual([...ids].reverse())
      expect(await listed('limit=2&order=asc')).toEqual(ids)
      expect((await alice.get(`${url}?before=${ids[0]}&limit=1`)).body).toMatchObject([{ id: ids[1] }])
    }
    const [agent] = await walk<{ identity_ids: string[] }>(
      alice,
      `/v1/identities/${id}/agents?include=agent.identities`,
    )
    expect(agent!.identity_ids).toEqual([id])
  })
})

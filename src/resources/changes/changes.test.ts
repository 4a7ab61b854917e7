import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newOrganization, populate } from '../../../test/populate.ts'
import { type Client, useTestServer } from '../../../test/server.ts'
import { callTool } from '../../../test/tool-calls.ts'
import { walk } from '../../../test/walk.ts'
import { KINDS } from './schema.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })

const makeBlock = async (client: Client, value = 'Ada') =>
  (await client.post('/v1/blocks/', { label: 'human', value })).body.id as string
const changes = async (client: Client, query = '') => (await client.get(`/v1/changes${query}`)).body
const idsOf = (list: { id: string }[]) => list.map(({ id }) => id)

describe('the changes of an organization', () => {
  test('name who changed which field from what to what, the last one first', async () => {
    const { alice } = server
    const id = await makeBlock(alice)
    await alice.patch(`/v1/blocks/${id}`, { value: 'Bob', metadata: { a: null } }, { 'x-request-id': 'the-second' })
    await alice.delete(`/v1/blocks/${id}`)
    const [third, second, first] = await changes(alice, `?resource_id=${id}`)
    expect(first).toMatchObject({ id: `${id}:1`, kind: 'block', resource_id: id, version: 1, operation: 'create' })
    expect(first.resource_name).toBe('human')
    expect(first.fields).toContainEqual({ name: 'value', after: 'Ada' })
    expect(second).toMatchObject({ version: 2, operation: 'update', request_id: 'the-second' })
    expect(second.user_id).toMatch(/^user-/)
    expect(second.api_key_id).toMatch(/^api_key-/)
    expect(second.fields).toEqual([
      { name: 'value', before: 'Ada', after: 'Bob' },
      { name: 'metadata', before: {}, after: { a: null } },
    ])
    expect(third).toMatchObject({ version: 3, operation: 'delete' })
    expect(third.fields).toContainEqual({ name: 'value', before: 'Bob' })
    expect((await changes(alice))[0]).toEqual(third)
  })

  test('name the agent, the run and the call, and what was attached', async () => {
    const { alice } = server
    const memory_blocks = [{ label: 'human', value: 'Ada' }]
    const agent = (await alice.post('/v1/agents/', { name: 'A', memory_blocks, tools: ['core_memory_append'] })).body
    await callTool(alice, agent.id, 'core_memory_append', { label: 'human', content: 'She writes.' })
    const [change, ...others] = await changes(alice, `?actor_id=${agent.id}`)
    expect(others).toEqual([])
    expect(change).toMatchObject({ kind: 'block', agent_id: agent.id, tool_call_id: expect.any(String) })
    expect(idsOf(await changes(alice, `?actor_id=${change.run_id}`))).toEqual([change.id])
    const block = await makeBlock(alice)
    await alice.patch(`/v1/blocks/${block}`, { label: 'other' })
    await alice.patch(`/v1/agents/${agent.id}/core-memory/blocks/attach/${block}`)
    await alice.patch(`/v1/agents/${agent.id}/core-memory/blocks/detach/${block}`)
    const links = await changes(alice, `?resource_id=${agent.id}&operation=link&operation=unlink`)
    expect(links).toMatchObject([
      { operation: 'unlink', attached: [], detached: [block] },
      { operation: 'link', attached: [block], detached: [] },
    ])
  })

  test('show the beginning of long values', async () => {
    const id = await makeBlock(server.alice, '🌱'.repeat(2001))
    const [{ fields }] = await changes(server.alice, `?resource_id=${id}`)
    expect(fields).toContainEqual({ name: 'value', after: '🌱'.repeat(2000), truncated: true })
  })

  test('are fewer on a page where they are large, and none is left out', async () => {
    const client = await newOrganization(server, 'Large')
    const id = await makeBlock(client)
    const count = 55
    for (let n = 1; n < count; n++) {
      const text = `${n} ${'🌱'.repeat(2000)}`
      await client.patch(`/v1/blocks/${id}`, {
        value: text + '🌱'.repeat(75_000),
        description: text,
        metadata: { text },
      })
    }
    const page = await client.get(`/v1/changes?resource_id=${id}&limit=200`)
    expect(Buffer.byteLength(JSON.stringify(page.body))).toBeLessThan(2_200_000)
    expect(page.body.length).toBeLessThan(count)
    for (const more of ['', '&order=asc', `&before=${id}:1`]) {
      const walked = await walk<{ id: string }>(client, `/v1/changes?resource_id=${id}&limit=200${more}`)
      expect([more, new Set(idsOf(walked)).size]).toEqual([more, more.includes('before') ? count - 1 : count])
    }
  })

  test('are no operation of the Letta API', async () => {
    for (const path of ['changes', 'admin/health', 'admin/failed-jobs', 'admin/failed-jobs/']) {
      expect([path, (await server.alice.get(`/letta/v1/${path}`)).status]).toEqual([path, 404])
    }
  })

  test('are walked in both orders, from both ends, and by every filter', async () => {
    const client = await newOrganization(server, 'Walker')
    for (let n = 0; n < 4; n++) await client.patch(`/v1/blocks/${await makeBlock(client)}`, { value: `${n}` })
    const all = idsOf(await walk(client, '/v1/changes?kind=block&limit=3'))
    expect(new Set(all).size).toBe(8)
    expect(idsOf(await walk(client, '/v1/changes?kind=block&limit=3&order=asc'))).toEqual(all.toReversed())
    const before = await walk<{ id: string }>(client, `/v1/changes?kind=block&limit=8&before=${all.at(-1)}`)
    expect(idsOf(before)).toEqual(all.slice(0, -1))
    expect(idsOf(await changes(client, `?kind=block&after=${all[1]}&before=${all[4]}`))).toEqual(all.slice(2, 4))
    const [{ user_id, api_key_id, created_at }] = await changes(client, `?kind=block&after=${all[2]}&limit=1`)
    expect(idsOf(await changes(client, `?kind=block&actor_id=${user_id}`))).toEqual(all)
    expect(idsOf(await changes(client, `?kind=block&actor_id=${api_key_id}&operation=create`))).toHaveLength(4)
    const [earlier, later] = ['before', 'after'].map((side) => `?kind=block&created_${side}=${created_at}`)
    const parts = [await changes(client, later), await changes(client, earlier)]
    expect(parts.flatMap(idsOf)).toEqual(all)
    expect((await client.get(`/v1/changes?after=${all[0]!.replace(/\d+$/, '99')}`)).status).toBe(404)
    expect((await client.get('/v1/changes?after=1')).status).toBe(422)
  })

  test('belong to one organization', async () => {
    const { alice, bob } = server
    const id = await makeBlock(alice, 'Only Alice')
    expect(JSON.stringify(await walk(bob, '/v1/changes?limit=200'))).not.toContain(id)
    expect(await changes(bob, `?resource_id=${id}`)).toEqual([])
    expect((await bob.get(`/v1/changes?after=${id}:1`)).status).toBe(404)
  })

  test('are those of the kinds that the key may read', async () => {
    await makeBlock(server.alice)
    await server.alice.post('/v1/archives/', { name: 'A' })
    const kindsOf = async (...scopes: string[]) => {
      const list = await walk<{ kind: string }>(await server.withScopes(...scopes), '/v1/changes?limit=200')
      return new Set(list.map(({ kind }) => kind))
    }
    expect(await kindsOf('changes:read')).toEqual(new Set())
    expect(await kindsOf('changes:read', 'blocks:read')).toEqual(new Set(['block']))
    const read = await kindsOf('read')
    expect([read.has('archive'), read.has('api_key')]).toEqual([true, false])
    expect((await kindsOf('read', 'admin')).has('api_key')).toBe(true)
    const client = await server.withScopes('changes:read', 'blocks:read')
    expect((await client.get('/v1/changes?kind=archive')).body.detail).toBe('This key lacks the scope "archives:read".')
    expect((await client.get('/v1/changes?resource_id=api_key-00000000-0000-7000-8000-000000000000')).status).toBe(403)
    expect((await (await server.withScopes('blocks:read')).get('/v1/changes')).status).toBe(403)
  })

  test('hold no secret, and leave out no kind of resource', async () => {
    const client = await newOrganization(server, 'Secretive')
    const secret = 'very-secret-value'
    const { organizationId } = await populate(client, server.database, 'Secretive')
    await client.post('/v1/agents/', { name: 'S', secrets: { TOKEN: secret } })
    await client.post('/v1/providers/', {
      name: 'own',
      provider_type: 'openai',
      api_key: secret,
      base_url: 'http://[::1]:9',
    })
    await client.post('/v1/mcp-servers/', {
      server_name: 'own',
      config: { mcp_server_type: 'streamable_http', server_url: 'https://example.com/mcp', auth_token: secret },
    })
    const list = await walk<{ kind: string }>(client, '/v1/changes?limit=200')
    expect(JSON.stringify(list)).not.toContain(secret)
    const stored = await sql<{ kind: string; count: number }>`select kind, count(*) as count from revisions
      where organization_id = ${organizationId} group by kind`.execute(server.database.kysely)
    const listed = Object.groupBy(list, ({ kind }) => kind)
    for (const { kind, count } of stored.rows) expect([kind, listed[kind]?.length]).toEqual([kind, count])
    expect(KINDS.map(([{ prefix }]) => prefix)).toEqual(expect.arrayContaining(stored.rows.map(({ kind }) => kind)))
  })
})

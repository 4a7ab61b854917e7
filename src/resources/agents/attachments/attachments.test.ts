import { describe, expect, test } from 'vitest'
import { useTestServer } from '../../../../test/server.ts'

const server = useTestServer()

const model = 'openai/gpt-4o-mini'
const ids = (list: { id: string }[]) => list.map(({ id }) => id)

describe('deleting an agent', () => {
  test('what it was attached to stays; groups it was in no longer name it', async () => {
    const { alice } = server
    const make = async (name: string, body: object = {}) =>
      (await alice.post('/v1/agents/', { name, model, ...body })).body
    const goes = await make('Goes', { memory_blocks: [{ label: 'human', value: 'stays' }] })
    const stays = await make('Stays')
    const group = (await alice.post('/v1/groups/', { agent_ids: [goes.id, stays.id], description: 'Both' })).body
    const before = (await alice.get(`/v1/groups/${group.id}`)).headers.etag
    expect((await alice.delete(`/v1/agents/${goes.id}`)).body).toEqual({
      message: `Agent id=${goes.id} successfully deleted`,
    })
    const after = await alice.get(`/v1/groups/${group.id}`)
    expect(after.body.agent_ids).toEqual([stays.id])
    expect(after.headers.etag).not.toBe(before)
    expect((await alice.get(`/v1/blocks/${goes.blocks[0].id}`)).body.value).toBe('stays')
    expect((await alice.delete(`/v1/agents/${goes.id}`)).status).toBe(404)
    expect((await server.bob.delete(`/v1/agents/${stays.id}`)).status).toBe(404)
  })
})

describe('attachments', () => {
  test('archives, folders and identities come and go; what is not there is a 404', async () => {
    const { alice, bob } = server
    const agent = (await alice.post('/v1/agents/', { name: 'Holder', model, include_base_tools: false })).body
    const archive = (await alice.post('/v1/archives/', { name: 'A' })).body
    const second = (await alice.post('/v1/archives/', { name: 'B' })).body
    const folder = (await alice.post('/v1/folders/', { name: 'Holder folder' })).body
    const identity = (await alice.post('/v1/identities/', { identifier_key: 'h', name: 'H', identity_type: 'org' }))
      .body
    const at = `/v1/agents/${agent.id}`
    const attach = (path: string, id: string, client = alice) => client.patch(`${at}/${path}/attach/${id}`)
    const detach = (path: string, id: string) => alice.patch(`${at}/${path}/detach/${id}`)

    expect(await attach('archives', archive.id)).toMatchObject({ status: 200, body: null })
    expect((await attach('archives', archive.id)).status).toBe(200)
    expect((await attach('archives', second.id)).status).toBe(409)
    expect(ids((await alice.get(`/v1/archives/?agent_id=${agent.id}`)).body)).toEqual([archive.id])
    expect(ids((await alice.get(`/v1/archives/${archive.id}/agents`)).body)).toEqual([agent.id])
    expect((await attach('folders', folder.id)).status).toBe(200)
    expect((await attach('identities', identity.id)).status).toBe(200)
    const held = (await alice.get(`${at}?include=agent.sources&include=agent.identities&include=agent.tools`)).body
    expect(ids(held.sources)).toEqual([folder.id])
    expect(held.identity_ids).toEqual([identity.id])
    expect(held.tools.map((tool: { name: string }) => tool.name).sort()).toEqual([
      'grep_files',
      'open_files',
      'semantic_search_files',
    ])
    expect(ids((await alice.get(`${at}/folders`)).body)).toEqual([folder.id])

    for (const [path, id] of [
      ['archives', archive.id],
      ['folders', folder.id],
      ['identities', identity.id],
    ] as const) {
      expect((await attach(path, id, bob)).status).toBe(404)
      expect((await detach(path, id)).status).toBe(200)
      expect((await detach(path, id)).status).toBe(200)
      expect((await detach(path, id.replace(/.{12}$/, '000000000000'))).status).toBe(404)
    }
    expect(
      (await alice.get(`${at}?include=agent.sources&include=agent.identities&include=agent.tools`)).body,
    ).toMatchObject({ sources: [], identity_ids: [], tools: [] })
  })
})

import { describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../../test/server.ts'
import { callOf } from '../../../../test/tool-calls.ts'
import { followed } from '../../../../test/walk.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })

const make = async (client: Client, body: object = {}) =>
  (await client.post('/v1/blocks/', { label: 'human', value: 'Ada', ...body })).body
const historyOf = async (client: Client, id: string, query = '') =>
  (await client.get(`/v1/blocks/${id}/history${query}`)).body

describe('the history of a block', () => {
  test('names who made each change, the last one first, page by page', async () => {
    const { alice } = server
    const { id } = await make(alice, { metadata: { b: 1, a: null } })
    const request = { 'x-request-id': 'the-second' }
    await alice.patch(`/v1/blocks/${id}`, { value: 'Ada writes.' }, request)
    await alice.patch(`/v1/blocks/${id}`, { description: 'A person' })
    const history = await historyOf(alice, id)
    expect(history).toMatchObject([
      { version: 3, operation: 'update', block: { value: 'Ada writes.', description: 'A person' } },
      { version: 2, operation: 'update', request_id: 'the-second', block: { value: 'Ada writes.' } },
      { version: 1, operation: 'create', block: { id, label: 'human', value: 'Ada', metadata: { b: 1, a: null } } },
    ])
    expect(history[1].api_key_id).toMatch(/^api_key-|^key-/)
    expect(history[1].user_id).toMatch(/^user-/)
    expect(history[0].block).toEqual((await alice.get(`/v1/blocks/${id}`)).body)
    const first = await historyOf(alice, id, '?limit=2')
    expect([...first, ...(await historyOf(alice, id, `?limit=2&before=${first[1].version}`))]).toEqual(history)
  })

  test('has shorter pages where its versions are large, and a link to the next', async () => {
    const { id } = await make(server.alice)
    const count = 20
    const long = '🌱'.repeat(99_000)
    for (let n = 1; n < count; n++) await server.alice.patch(`/v1/blocks/${id}`, { value: `${n} ${long}` })
    const pages = await followed<{ version: number }>(server.alice, `/v1/blocks/${id}/history?limit=200`)
    for (const page of pages) expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(5_000_000)
    const versions = pages.flat().map(({ version }) => version)
    expect(versions).toEqual(Array.from({ length: count }, (_, n) => count - n))
  })

  test('names the agent that changed its memory, with the run and the call', async () => {
    const { alice } = server
    const block = { label: 'human', value: 'Ada' }
    const agent = (
      await alice.post('/v1/agents/', { name: 'A', memory_blocks: [block], tools: ['core_memory_append'] })
    ).body
    const input = callOf('core_memory_append', { label: 'human', content: 'She writes.' })
    expect((await alice.post(`/v1/agents/${agent.id}/messages`, { input })).status).toBe(200)
    const [last] = await historyOf(alice, agent.memory.blocks[0].id)
    expect(last).toMatchObject({ agent_id: agent.id, block: { value: 'Ada\nShe writes.' } })
    expect(last.run_id).toMatch(/^run-/)
    expect(last.tool_call_id).toEqual(expect.any(String))
  })

  test('remains when the block is deleted, and belongs to its organization', async () => {
    const { alice, bob } = server
    const { id } = await make(alice)
    expect((await bob.get(`/v1/blocks/${id}/history`)).status).toBe(404)
    expect((await bob.patch(`/v1/blocks/${id}/restore`, { version: 1 })).status).toBe(404)
    await alice.delete(`/v1/blocks/${id}`)
    expect(await historyOf(alice, id)).toMatchObject([{ version: 2, operation: 'delete' }, { version: 1 }])
    expect((await bob.get(`/v1/blocks/${id}/history`)).status).toBe(404)
    expect((await alice.patch(`/v1/blocks/${id}/restore`, { version: 1 })).status).toBe(404)
  })
})

describe('a former version of a block', () => {
  test('is restored as a change of its own, unless the block has changed meanwhile', async () => {
    const { alice } = server
    const { id } = await make(alice, { tags: ['old'] })
    await alice.patch(`/v1/blocks/${id}`, { value: 'Bob', description: 'A person', tags: ['new'], limit: 10 })
    const stale = await alice.patch(`/v1/blocks/${id}/restore`, { version: 1 }, { 'if-match': '"1"' })
    expect(stale.status).toBe(412)
    const { status, body } = await alice.patch(`/v1/blocks/${id}/restore`, { version: 1 }, { 'if-match': '"2"' })
    expect(status).toBe(200)
    const [restored, , first] = await historyOf(alice, id)
    expect([restored.version, restored.block]).toEqual([3, body])
    expect(body).toEqual(first.block)
    expect((await alice.patch(`/v1/blocks/${id}/restore`, { version: 9 })).status).toBe(404)
  })
})

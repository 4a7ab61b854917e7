import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../test/server.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
let alice: Client
let bob: Client
beforeAll(() => {
  alice = server.alice
  bob = server.bob
})

const BASE = '/v1/conversations'

const makeAgent = async (): Promise<string> => (await alice.post('/v1/agents/', {})).body.id
const make = async (agent: string) => (await alice.post(`${BASE}/?agent_id=${agent}`, {})).body
const say = (id: string, input: string, body: object = {}) =>
  alice.post(`${BASE}/${id}/messages`, { input, streaming: false, ...body })

describe('the context of a conversation', () => {
  test('is summarized when the caller asks for it, apart from that of the agent', async () => {
    const agent = await makeAgent()
    const { id } = await make(agent)
    const compaction_settings = { mode: 'all', model: 'cairn/scripted' }
    const compact = (of: string, body: object, client = alice) =>
      client.post(`${BASE}/${of}/compact`, { compaction_settings, ...body })
    expect((await compact(id, {})).status).toBe(400)
    for (const word of ['one', 'two']) await say(id, word)
    await say('default', 'three', { agent_id: agent })
    const { status, body } = await compact(id, {})
    expect([status, body]).toMatchObject([200, { num_messages_before: 5, num_messages_after: 2 }])
    expect((await alice.get(`${BASE}/${id}`)).body.in_context_message_ids).toHaveLength(2)
    expect((await alice.get(`${BASE}/${id}/messages`)).body).toHaveLength(6)
    expect((await alice.get(`/v1/agents/${agent}`)).body.message_ids).toHaveLength(3)
    expect((await compact('default', { agent_id: agent })).body.num_messages_after).toBe(2)
    expect((await compact(id, {}, bob)).status).toBe(404)
    expect((await compact('default', {})).status).toBe(422)
  })

  test('gets a system prompt compiled anew, and a request that is shown without being sent', async () => {
    const agent = await makeAgent()
    const { id } = await make(agent)
    await alice.patch(`/v1/agents/${agent}`, { system: 'You like tea.' })
    const prompt = async () => (await alice.get(`${BASE}/${id}/messages?order=asc&limit=1`)).body[0].content
    const { body: compiled } = await alice.post(`${BASE}/${id}/recompile?dry_run=true`)
    expect(compiled).toContain('You like tea.')
    expect(compiled).toContain(id)
    expect(await prompt()).not.toContain('You like tea.')
    await alice.post(`${BASE}/${id}/recompile`)
    expect(await prompt()).toContain('You like tea.')
    const preview = await alice.post(`${BASE}/${id}/messages/preview-raw-payload`, { input: 'Not sent' })
    expect(JSON.stringify(preview.body)).toContain('Not sent')
    expect((await alice.get(`${BASE}/${id}/messages`)).body).toHaveLength(1)
    const path = `${BASE}/default/messages/preview-raw-payload`
    expect(JSON.stringify((await alice.post(path, { input: 'x', agent_id: agent })).body)).not.toContain(id)
    for (const route of ['recompile', 'messages/preview-raw-payload']) {
      expect((await bob.post(`${BASE}/${id}/${route}`, route === 'recompile' ? {} : { input: 'x' })).status).toBe(404)
    }
  })
})

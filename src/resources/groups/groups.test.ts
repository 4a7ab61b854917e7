import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, startTestServer, type TestServer } from '../../../test/server.ts'
import { walk } from '../../../test/walk.ts'

let server: TestServer
/** Alice's agents, and one of Bob's. */
let agents: string[]
let foreign: string

const makeAgent = async (client: Client, name: string): Promise<string> =>
  (await client.post('/v1/agents/', { name, model: 'openai/gpt-4o-mini' })).body.id
const makeBlock = async (client: Client): Promise<string> =>
  (await client.post('/v1/blocks/', { label: 'shared', value: 'text' })).body.id

beforeAll(async () => {
  server = await startTestServer()
  agents = []
  for (const name of ['One', 'Two', 'Three']) agents.push(await makeAgent(server.alice, name))
  foreign = await makeAgent(server.bob, 'Foreign')
})
afterAll(() => server.close())

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

const make = (body: object, client = server.alice) =>
  client.post('/v1/groups/', { agent_ids: agents, description: 'A group', ...body })
const faults = (reply: { body: { errors: { field: string; message: string }[] } }) =>
  reply.body.errors.map(({ field, message }) => `${field} ${message}`)

/** What is read of a listed one. */
interface Shown {
  id: string
  description: string
}

describe('groups', () => {
  test('a group without a manager takes turns, in the order its members were given', async () => {
    const { alice } = server
    const agent_ids = [agents[2], agents[0], agents[1]]
    const made = await make({ agent_ids, project_id: 'p', hidden: false })
    expect(made.status).toBe(200)
    expect(made.body).toEqual({
      id: expect.stringMatching(/^group-.{36}$/),
      agent_ids,
      shared_block_ids: [],
      description: 'A group',
      manager_type: 'round_robin',
      project_id: 'p',
      hidden: false,
    })
    expect(made.headers.etag).toMatch(/^"1\b/)
    const url = `/v1/groups/${made.body.id}`
    const read = await alice.get(url)
    expect(read.body).toEqual(made.body)
    expect(read.headers.etag).toBe(made.headers.etag)
    expect((await alice.patch(url, { agent_ids: [...agent_ids].reverse() })).body.agent_ids).toEqual(
      [...agent_ids].reverse(),
    )
    const gone = await alice.delete(url)
    expect(gone.body).toEqual({ message: `Group id=${made.body.id} successfully deleted` })
    expect((await alice.get(url)).status).toBe(404)
    expect((await alice.get(`/v1/agents/${agents[0]}`)).status).toBe(200)
  })

  test('each type of manager keeps what it is configured by', async () => {
    const [manager_agent_id] = agents
    for (const [given, kept] of [
      [{ manager_type: 'round_robin', max_turns: 3 }, {}],
      [{ manager_type: 'supervisor', manager_agent_id }, {}],
      [{ manager_type: 'dynamic', manager_agent_id }, { termination_token: 'DONE!' }],
      [{ manager_type: 'dynamic', manager_agent_id, termination_token: '', max_turns: 0 }, {}],
      [{ manager_type: 'sleeptime', manager_agent_id }, {}],
      [{ manager_type: 'sleeptime', manager_agent_id, sleeptime_agent_frequency: 5 }, { turns_counter: -1 }],
      [{ manager_type: 'voice_sleeptime', manager_agent_id }, {}],
      [
        {
          manager_type: 'voice_sleeptime',
          manager_agent_id,
          max_message_buffer_length: 30,
          min_message_buffer_length: 15,
        },
        {},
      ],
      [{ manager_type: 'swarm' }, {}],
      [{ manager_type: 'swarm', manager_agent_id, max_turns: 7 }, {}],
    ] as const) {
      const { status, body } = await make({ manager_config: given })
      expect(status).toBe(200)
      const { id, agent_ids, shared_block_ids, description, ...manager } = body
      expect(manager).toEqual({ ...given, ...kept })
    }
  })

  test('a configuration that does not fit its manager is refused, with what to mend', async () => {
    const [manager_agent_id] = agents
    const refused = async (manager_config: object) => {
      const reply = await make({ manager_config })
      expect(reply.status).toBe(422)
      return faults(reply)
    }
    expect(await refused({ manager_type: 'swarn' })).toEqual([
      'manager_config.manager_type must be one of round_robin, supervisor, dynamic, sleeptime, voice_sleeptime, swarm',
    ])
    expect(await refused({})).toEqual(['manager_config.manager_type is required'])
    expect(await refused({ manager_type: 'supervisor' })).toEqual(['manager_config.manager_agent_id is required'])
    expect(await refused({ manager_type: 'round_robin', max_turn: 1 })).toEqual([
      'manager_config.max_turn is not a known name here; did you mean "max_turns"?',
    ])
    expect(await refused({ manager_type: 'sleeptime', manager_agent_id, sleeptime_agent_frequency: '5' })).toEqual([
      'manager_config.sleeptime_agent_frequency must be a whole number or null',
    ])
    const voice = (buffer: object) => refused({ manager_type: 'voice_sleeptime', manager_agent_id, ...buffer })
    expect(await voice({ max_message_buffer_length: 4, min_message_buffer_length: 3 })).toHaveLength(2)
    expect(await voice({ max_message_buffer_length: 10 })).toEqual([
      'manager_config.min_message_buffer_length is required beside max_message_buffer_length',
    ])
    expect(await voice({ min_message_buffer_length: 10 })).toEqual([
      'manager_config.max_message_buffer_length is required beside min_message_buffer_length',
    ])
    expect(await voice({ max_message_buffer_length: 10, min_message_buffer_length: 10 })).toEqual([
      'manager_config.max_message_buffer_length must be greater than min_message_buffer_length, which is 10',
    ])
  })

  test('a member is named once, and under a dynamic manager no two members share a name', async () => {
    const { alice } = server
    const twice = await make({ agent_ids: [agents[0], agents[0]] })
    expect(twice.body.errors).toMatchObject([{ in: 'body', field: 'agent_ids' }])
    const namesake = await makeAgent(alice, 'One')
    const agent_ids = [agents[0], namesake]
    expect((await make({ agent_ids })).status).toBe(200)
    const dynamic = { manager_config: { manager_type: 'dynamic', manager_agent_id: agents[1] } }
    const reply = await make({ agent_ids, ...dynamic })
    expect(reply.status).toBe(422)
    expect(faults(reply)[0]).toContain('"One"')
    const { id } = (await make(dynamic)).body
    expect((await alice.patch(`/v1/groups/${id}`, { agent_ids })).status).toBe(422)
    expect((await alice.get(`/v1/groups/${id}`)).body.agent_ids).toEqual(agents)
  })

  test('zero, empty text and empty lists are values; null takes an optional value away; what is absent stays', async () => {
    const { alice } = server
    const [manager_agent_id] = agents
    const block = await makeBlock(alice)
    const made = await make({
      manager_config: { manager_type: 'dynamic', manager_agent_id, max_turns: 9 },
      shared_block_ids: [block],
      project_id: 'p',
      hidden: true,
    })
    const url = `/v1/groups/${made.body.id}`
    const change = async (body: object) => (await alice.patch(url, body)).body

    const emptied = await change({
      agent_ids: [],
      description: '',
      shared_block_ids: [],
      hidden: false,
      project_id: '',
      manager_config: { manager_type: 'dynamic', max_turns: 0, termination_token: '' },
    })
    const { id } = made.body
    expect(emptied).toEqual({
      id,
      manager_type: 'dynamic',
      manager_agent_id,
      agent_ids: [],
      shared_block_ids: [],
      description: '',
      hidden: false,
      project_id: '',
      max_turns: 0,
      termination_token: '',
    })
    const cleared = await change({
      hidden: null,
      project_id: null,
      manager_config: { manager_type: 'dynamic', max_turns: null },
    })
    expect(cleared).toEqual({
      id,
      manager_type: 'dynamic',
      manager_agent_id,
      agent_ids: [],
      shared_block_ids: [],
      description: '',
      termination_token: '',
    })
    const refused = await alice.patch(url, {
      agent_ids: null,
      description: null,
      manager_config: { manager_type: 'dynamic', manager_agent_id: null },
    })
    expect(refused.body.errors.map(({ field }: { field: string }) => field).sort()).toEqual([
      'agent_ids',
      'description',
      'manager_config.manager_agent_id',
    ])
    expect((await alice.get(url)).body).toEqual(cleared)
  })

  test('a patch that changes nothing makes no new version; one that only changes members does', async () => {
    const { alice } = server
    const made = await make({})
    const url = `/v1/groups/${made.body.id}`
    const same = await alice.patch(url, {
      agent_ids: agents,
      description: 'A group',
      manager_config: { manager_type: 'round_robin' },
    })
    expect(same.headers.etag).toBe(made.headers.etag)
    const changed = await alice.patch(url, { agent_ids: [agents[0]] }, { 'if-match': made.headers.etag! })
    expect(changed.body.agent_ids).toEqual([agents[0]])
    expect(changed.headers.etag).not.toBe(made.headers.etag)
    const stale = await alice.patch(url, { agent_ids: [] }, { 'if-match': made.headers.etag! })
    expect(stale.status).toBe(412)
    expect((await alice.get(url)).body.agent_ids).toEqual([agents[0]])
  })

  test('the turns of a sleep-time group are counted anew when the frequency changes', async () => {
    const { alice } = server
    const sleeptime = { manager_type: 'sleeptime', manager_agent_id: agents[0] }
    const { id } = (await make({ manager_config: sleeptime })).body
    const change = async (sleeptime_agent_frequency: number | null) =>
      (
        await alice.patch(`/v1/groups/${id}`, {
          manager_config: { manager_type: 'sleeptime', sleeptime_agent_frequency },
        })
      ).body
    expect(await change(4)).toMatchObject({ sleeptime_agent_frequency: 4, turns_counter: -1 })
    expect(await change(0)).toMatchObject({ sleeptime_agent_frequency: 0, turns_counter: -1 })
    const without = await change(null)
    expect(without).not.toHaveProperty('sleeptime_agent_frequency')
    expect(without).not.toHaveProperty('turns_counter')
  })

  test('the bounds of a message buffer still fit together after a change of one of them', async () => {
    const { alice } = server
    const voice = { manager_type: 'voice_sleeptime' }
    const bounds = { max_message_buffer_length: 30, min_message_buffer_length: 15 }
    const made = await make({ manager_config: { ...voice, manager_agent_id: agents[0], ...bounds } })
    const change = (manager_config: object) =>
      alice.patch(`/v1/groups/${made.body.id}`, { manager_config: { ...voice, ...manager_config } })
    expect((await change({ max_message_buffer_length: 15 })).status).toBe(422)
    expect((await change({ min_message_buffer_length: null })).status).toBe(422)
    expect((await change({ min_message_buffer_length: 29 })).body).toMatchObject({
      max_message_buffer_length: 30,
      min_message_buffer_length: 29,
    })
    const neither = await change({ max_message_buffer_length: null, min_message_buffer_length: null })
    expect(neither.status).toBe(200)
    expect(neither.body).not.toHaveProperty('max_message_buffer_length')
  })

  test('a group keeps the type of manager it was made with', async () => {
    const { id } = (await make({})).body
    const reply = await server.alice.patch(`/v1/groups/${id}`, {
      manager_config: { manager_type: 'supervisor', manager_agent_id: agents[0] },
    })
    expect(reply.status).toBe(422)
    expect(faults(reply)).toEqual(["manager_config.manager_type must stay round_robin: it can't be changed"])
  })

  test('agents and blocks of nobody or of another organization are not found, and nothing is written', async () => {
    const { alice, bob } = server
    const { id } = (await make({})).body
    const before = (await alice.get('/v1/groups/count')).body
    const hisBlock = await makeBlock(bob)
    for (const [missing, body] of [
      [foreign, { agent_ids: [agents[0], foreign] }],
      [`agent-${UNKNOWN}`, { agent_ids: [`agent-${UNKNOWN}`] }],
      [hisBlock, { shared_block_ids: [hisBlock] }],
      [`block-${UNKNOWN}`, { shared_block_ids: [`block-${UNKNOWN}`] }],
    ] as const) {
      for (const reply of [await make(body), await alice.patch(`/v1/groups/${id}`, body)]) {
        expect(reply.status).toBe(404)
        expect(reply.body.detail).toContain(missing)
      }
    }
    const managed = await make({ manager_config: { manager_type: 'supervisor', manager_agent_id: foreign } })
    expect(managed.status).toBe(404)
    expect(managed.body.detail).toContain(foreign)
    expect((await alice.get('/v1/groups/count')).body).toBe(before)
    expect((await alice.get(`/v1/groups/${id}`)).body.agent_ids).toEqual(agents)
    expect((await make({ agent_ids: ['agent-1'] })).body.errors).toEqual([
      { in: 'body', field: 'agent_ids[0]', message: 'must be an id of the form agent-<uuid>' },
    ])
  })

  test('another organization gets the answer of a group that does not exist; a malformed id shows the form', async () => {
    const { alice, bob } = server
    const { id } = (await make({})).body
    const foreignReply = await bob.get(`/v1/groups/${id}`)
    const missing = await bob.get(`/v1/groups/group-${UNKNOWN}`)
    const plain = (reply: typeof missing, own: string) =>
      JSON.stringify({ ...reply.body, request_id: '' }).replaceAll(own, 'ID')
    expect(foreignReply.status).toBe(404)
    expect(plain(foreignReply, id)).toBe(plain(missing, `group-${UNKNOWN}`))
    expect((await bob.patch(`/v1/groups/${id}`, { description: 'His' })).status).toBe(404)
    expect((await bob.delete(`/v1/groups/${id}`)).status).toBe(404)
    for (const bad of [`${id}0`, id.slice(0, -1), `source-${id.slice(6)}`, id.toUpperCase()]) {
      const reply = await alice.get(`/v1/groups/${bad}`)
      expect(reply.status).toBe(422)
      expect(faults(reply)).toEqual(['group_id must be an id of the form group-<uuid>'])
    }
  })

  test('a block is shared and unshared any number of times, with the same result', async () => {
    const { alice, bob } = server
    const { id } = (await make({})).body
    const block = await makeBlock(alice)
    const shared = async () => (await alice.get(`/v1/groups/${id}`)).body.shared_block_ids
    const call = (verb: string, blockId: string, client = alice) =>
      client.patch(`/v1/groups/${id}/blocks/${verb}/${blockId}`)
    for (const [verb, after] of [
      ['attach', [block]],
      ['detach', []],
    ] as const) {
      for (let time = 0; time < 2; time++) {
        const reply = await call(verb, block)
        expect([reply.status, reply.body]).toEqual([200, null])
        expect(await shared()).toEqual(after)
      }
      const hisBlock = await makeBlock(bob)
      expect((await call(verb, hisBlock)).body.detail).toContain(hisBlock)
      expect((await call(verb, hisBlock, bob)).body.detail).toContain(id)
      expect((await call(verb, 'block-1')).status).toBe(422)
    }
  })

  test('members that are deleted leave the group; a block too; with its manager the group goes', async () => {
    const { alice } = server
    const [first, second, manager] = [
      await makeAgent(alice, 'First'),
      await makeAgent(alice, 'Second'),
      await makeAgent(alice, 'Manager'),
    ]
    const block = await makeBlock(alice)
    const made = await make({
      agent_ids: [first, second],
      shared_block_ids: [block],
      manager_config: { manager_type: 'supervisor', manager_agent_id: manager },
    })
    const url = `/v1/groups/${made.body.id}`
    expect((await alice.delete(`/v1/agents/${first}`)).status).toBe(200)
    await alice.delete(`/v1/blocks/${block}`)
    const read = await alice.get(url, { 'if-none-match': made.headers.etag! })
    expect(read.status).toBe(200)
    expect(read.body).toMatchObject({ agent_ids: [second], shared_block_ids: [] })
    await alice.delete(`/v1/agents/${manager}`)
    expect((await alice.get(url)).status).toBe(404)
  })

  test('lists are oldest first, without hidden groups unless asked for, and counted alike', async () => {
    const { bob } = server
    const swarm = { manager_config: { manager_type: 'swarm' } }
    for (const body of [
      { description: 'a', project_id: 'x' },
      { description: 'b', ...swarm },
      { description: 'c', hidden: true },
      { description: 'd', project_id: 'x', ...swarm },
    ])
      await make({ agent_ids: [foreign], ...body }, bob)
    for (const [query, expected] of [
      ['', 'abd'],
      ['show_hidden_groups=true', 'abcd'],
      ['manager_type=swarm', 'bd'],
      ['project_id=x', 'ad'],
      ['project_id=x&manager_type=swarm', 'd'],
      ['project_id=X', ''],
    ] as const) {
      for (const limit of [1, 2, 50]) {
        const forward = await walk<Shown>(bob, `/v1/groups/?${query}&limit=${limit}`)
        expect(forward.map(({ description }) => description).join('')).toBe(expected)
        const backward = await walk<Shown>(bob, `/v1/groups/?${query}&limit=${limit}&order=desc`)
        expect(backward).toEqual([...forward].reverse())
      }
      expect((await bob.get(`/v1/groups/count?${query}`)).body).toBe(expected.length)
    }
    const [first, second, third] = await walk<Shown>(bob, '/v1/groups')
    expect((await bob.get(`/v1/groups?before=${third!.id}&limit=1`)).body).toEqual([second])
    expect((await bob.get(`/v1/groups?after=${first!.id}&before=${third!.id}`)).body).toEqual([second])
    expect((await bob.get('/v1/groups?manager_type=boss')).status).toBe(422)
  })
})

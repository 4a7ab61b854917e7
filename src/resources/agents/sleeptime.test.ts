import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, startTestServer, type TestServer } from '../../../test/server.ts'

let server: TestServer
let alice: Client
let bob: Client
beforeAll(async () => {
  server = await startTestServer()
  ;({ alice, bob } = server)
})
afterAll(() => server.close())

const PERSONA = 'memory_persona'

interface Block {
  id: string
  label: string
}

/** An agent whose memory a partner manages, that partner, its own block, and the blocks the two share. */
async function makePair(body: object = {}, client = alice) {
  const made = await client.post('/v1/agents/', {
    name: 'Day',
    include_base_tools: false,
    enable_sleeptime: true,
    memory_blocks: [{ label: 'human', value: 'x' }],
    ...body,
  })
  expect([made.status, made.body.detail]).toEqual([200, undefined])
  const agent = made.body
  const partner = agent.managed_group.agent_ids[0] as string
  const blocks = await blocksOf(partner, client)
  const own = blocks.filter(({ label, id }) => label === PERSONA && !agent.blocks.some((one: Block) => one.id === id))
  expect(own).toHaveLength(1)
  return { agent: agent.id as string, partner, own: own[0]!.id, shared: agent.blocks as Block[] }
}

const blocksOf = async (agent: string, client = alice): Promise<Block[]> =>
  (await client.get(`/v1/agents/${agent}/core-memory/blocks`)).body
const isThere = async (path: string, client = alice) => (await client.get(path)).status === 200
const blockIsThere = (id: string, client = alice) => isThere(`/v1/blocks/${id}`, client)
const makeBlock = async (label: string): Promise<string> =>
  (await alice.post('/v1/blocks/', { label, value: 'mine' })).body.id
const place = (agent: string, verb: 'attach' | 'detach', block: string) =>
  alice.patch(`/v1/agents/${agent}/core-memory/blocks/${verb}/${block}`)

/** The ways an agent and its partner can go, and what each must leave. */
const WAYS: [string, (pair: { agent: string; partner: string }) => Promise<unknown>][] = [
  ['with the agent it looks after', ({ agent }) => alice.delete(`/v1/agents/${agent}`)],
  ['alone', ({ partner }) => alice.delete(`/v1/agents/${partner}`)],
]

describe('the partner that manages an agent’s memory', () => {
  test('has a block of its own, and shares all of the agent’s', async () => {
    const { partner, own, shared } = await makePair()
    const blocks = await blocksOf(partner)
    expect(blocks.map(({ label }) => label).sort()).toEqual(['human', PERSONA])
    expect(blocks.map(({ id }) => id).sort()).toEqual([own, ...shared.map(({ id }) => id)].sort())
    expect((await alice.get(`/v1/blocks/${own}/agents`)).body.map(({ id }: Block) => id)).toEqual([partner])
  })

  test.each(['voice_convo_agent', 'svc_v1_agent'])('has one for an agent of the type %s too', async (agent_type) => {
    const { own, agent } = await makePair({ agent_type })
    await alice.delete(`/v1/agents/${agent}`)
    expect(await blockIsThere(own)).toBe(false)
  })

  test('gets the blocks that the agent gets, but for one of the label of its own', async () => {
    const { agent, partner, shared, own } = await makePair()
    const [one, two] = [await makeBlock('one'), await makeBlock('two')]
    expect((await place(agent, 'attach', one)).status).toBe(200)
    const block_ids = [...shared.map(({ id }) => id), one, two]
    expect((await alice.patch(`/v1/agents/${agent}`, { block_ids })).status).toBe(200)
    expect((await place(agent, 'attach', await makeBlock(PERSONA))).status).toBe(200)
    const idsOf = async (id: string) => (await blocksOf(id)).map((block) => block.id).toSorted()
    expect(await idsOf(partner)).toEqual([...block_ids, own].toSorted())
    expect((await alice.get(`/v1/agents/${partner}/core-memory/blocks/one`)).body.id).toBe(one)
    const foreign = (await bob.post('/v1/blocks/', { label: 'three', value: '' })).body.id
    expect((await place(agent, 'attach', foreign)).status).toBe(404)
    expect(await idsOf(partner)).toHaveLength(block_ids.length + 1)
  })

  test('is not made for a voice agent that asks for none', async () => {
    const made = await alice.post('/v1/agents/', { agent_type: 'voice_convo_agent' })
    expect(made).toMatchObject({ status: 200, body: { agent_type: 'voice_convo_agent' } })
    expect(made.body).not.toHaveProperty('managed_group')
  })

  test('has one when it comes by a later change', async () => {
    const made = (await alice.post('/v1/agents/', { name: 'Later', memory_blocks: [{ label: 'human', value: '' }] }))
      .body
    const { managed_group } = (await alice.patch(`/v1/agents/${made.id}`, { enable_sleeptime: true })).body
    const own = (await blocksOf(managed_group.agent_ids[0])).find(({ label }) => label === PERSONA)!
    await alice.delete(`/v1/agents/${made.id}`)
    expect([await blockIsThere(own.id), await blockIsThere(made.blocks[0].id)]).toEqual([false, true])
  })

  test('has one when the agent has a block of that label itself, which stays the agent’s', async () => {
    const { agent, own, shared, partner } = await makePair({
      memory_blocks: [
        { label: 'human', value: 'x' },
        { label: PERSONA, value: 'the agent’s' },
      ],
    })
    expect((await blocksOf(partner)).map(({ label }) => label).sort()).toEqual(['human', PERSONA])
    await alice.delete(`/v1/agents/${agent}`)
    expect(await blockIsThere(own)).toBe(false)
    for (const { id } of shared) expect(await blockIsThere(id)).toBe(true)
  })
})

describe.each(WAYS)('when it goes %s', (_, go) => {
  test('its own block goes along, and the blocks it shared stay', async () => {
    const pair = await makePair()
    await go(pair)
    expect(await isThere(`/v1/agents/${pair.partner}`)).toBe(false)
    expect(await blockIsThere(pair.own)).toBe(false)
    for (const { id } of pair.shared) expect(await blockIsThere(id)).toBe(true)
  })

  test('its own block stays where another agent has it', async () => {
    const pair = await makePair()
    const other = (await alice.post('/v1/agents/', { name: 'Other', block_ids: [pair.own] })).body
    await go(pair)
    expect((await blocksOf(other.id)).map(({ id }) => id)).toEqual([pair.own])
  })

  test('its own block stays where an identity or a group has it', async () => {
    const [one, two] = [await makePair(), await makePair()]
    const identity = await alice.post('/v1/identities/', {
      identifier_key: one.own,
      name: 'I',
      identity_type: 'user',
      block_ids: [one.own],
    })
    const group = await alice.post('/v1/groups/', { agent_ids: [], description: 'G', shared_block_ids: [two.own] })
    for (const pair of [one, two]) await go(pair)
    expect((await alice.get(`/v1/identities/${identity.body.id}`)).body.block_ids).toEqual([one.own])
    expect((await alice.get(`/v1/groups/${group.body.id}`)).body.shared_block_ids).toEqual([two.own])
  })

  test('a block of mine that I gave it under that label stays', async () => {
    const pair = await makePair()
    const mine = await makeBlock(PERSONA)
    await place(pair.partner, 'detach', pair.own)
    expect((await place(pair.partner, 'attach', mine)).status).toBe(200)
    await go(pair)
    expect(await blockIsThere(mine)).toBe(true)
    // Taken from it, it is no longer its own.
    expect(await blockIsThere(pair.own)).toBe(true)
  })

  test('no block of another pair, in this organization or another, goes', async () => {
    const pair = await makePair()
    const [neighbour, foreign] = [await makePair(), await makePair({}, server.bob)]
    await go(pair)
    expect(await blockIsThere(neighbour.own)).toBe(true)
    expect(await blockIsThere(foreign.own, server.bob)).toBe(true)
  })
})

test('an agent whose partner went looks after its memory itself, and can get another', async () => {
  const pair = await makePair()
  await alice.delete(`/v1/agents/${pair.partner}`)
  const alone = (await alice.get(`/v1/agents/${pair.agent}?include=agent.managed_group`)).body
  expect(alone.enable_sleeptime).toBe(false)
  expect(alone).not.toHaveProperty('managed_group')
  const again = (await alice.patch(`/v1/agents/${pair.agent}`, { enable_sleeptime: true })).body
  expect(again.managed_group.agent_ids).toHaveLength(1)
  expect((await blocksOf(again.managed_group.agent_ids[0])).map(({ label }) => label).sort()).toEqual([
    'human',
    PERSONA,
  ])
})

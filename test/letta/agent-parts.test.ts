import Letta from '@letta-ai/letta-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { all, type LettaServer, refused, startLetta, UNKNOWN } from './client.ts'

let server: LettaServer
/** Of Alice. */
let agent_id: string
beforeAll(async () => {
  server = await startLetta()
})
afterAll(() => server.close())
beforeEach(async () => {
  agent_id = (await server.alice.agents.create({ name: 'Agent', include_base_tools: false })).id
})

interface Part {
  name: string
  make(client: Letta): Promise<string>
  attach(client: Letta, id: string): PromiseLike<unknown>
  detach(client: Letta, id: string): PromiseLike<unknown>
  attached(): Promise<string[]>
  missing: string
  /** Detaching what isn’t attached is refused. */
  heldOnce?: boolean
}

let n = 0
const ids = async (items: AsyncIterable<{ id: string }>) => (await all(items)).map(({ id }) => id)

const PARTS: Part[] = [
  {
    name: 'blocks',
    make: async (client) => (await client.blocks.create({ label: `label ${n++}`, value: 'x' })).id,
    attach: (client, id) => client.agents.blocks.attach(id, { agent_id }),
    detach: (client, id) => client.agents.blocks.detach(id, { agent_id }),
    attached: () => ids(server.alice.agents.blocks.list(agent_id, { limit: 1, order: 'asc' })),
    missing: `block-${UNKNOWN}`,
    heldOnce: true,
  },
  {
    name: 'tools',
    make: async (client) => (await client.tools.create({ source_code: `def part_${n++}():\n    """None."""` })).id,
    attach: (client, id) => client.agents.tools.attach(id, { agent_id }),
    detach: (client, id) => client.agents.tools.detach(id, { agent_id }),
    attached: () => ids(server.alice.agents.tools.list(agent_id, { limit: 1, order: 'asc' })),
    missing: `tool-${UNKNOWN}`,
  },
  {
    name: 'folders',
    make: async (client) => (await client.folders.create({ name: `folder ${n++}` })).id,
    attach: (client, id) => client.agents.folders.attach(id, { agent_id }),
    detach: (client, id) => client.agents.folders.detach(id, { agent_id }),
    attached: () => ids(server.alice.agents.folders.list(agent_id, { limit: 1, order: 'asc' })),
    missing: `source-${UNKNOWN}`,
  },
  {
    name: 'identities',
    make: async (client) => {
      // The SDK has no methods for identities themselves.
      const body = { identifier_key: `key ${n++}`, name: 'Ann', identity_type: 'user' }
      return (await client.post<{ id: string }>('/v1/identities/', { body })).id
    },
    attach: (client, id) => client.agents.identities.attach(id, { agent_id }),
    detach: (client, id) => client.agents.identities.detach(id, { agent_id }),
    attached: async () =>
      (await server.alice.agents.retrieve(agent_id, { include: ['agent.identities'] })).identity_ids!,
    missing: `identity-${UNKNOWN}`,
  },
]

describe.each(PARTS)('$name of an agent', ({ make, attach, detach, attached, missing, heldOnce }) => {
  test('are attached and detached once, however often the request is repeated', async () => {
    const { alice, bob } = server
    const [one, two] = [await make(alice), await make(alice)]
    for (const id of [one, two, one]) await attach(alice, id)
    expect(await attached()).toEqual([one, two])
    await detach(alice, one)
    if (heldOnce) await refused(detach(alice, one), Letta.NotFoundError, one)
    else await detach(alice, one)
    expect(await attached()).toEqual([two])
    await attach(alice, one)
    expect(new Set(await attached())).toEqual(new Set([one, two]))
    await detach(alice, one)

    const his = await make(bob)
    await refused(attach(alice, his), Letta.NotFoundError, his)
    await refused(attach(bob, his), Letta.NotFoundError, agent_id)
    await refused(detach(bob, two), Letta.NotFoundError, /^404 No /)
    await refused(attach(alice, missing), Letta.NotFoundError, missing)
    await refused(detach(alice, missing), Letta.NotFoundError, missing)
    expect(await attached()).toEqual([two])
  })
})

describe('lists of related resources, paged by the SDK', () => {
  type Query = { limit: number; order?: 'asc' | 'desc'; before?: string }
  type List = (id: string, query: Query) => AsyncIterable<{ id: string }>
  const lists: [string, (client: Letta) => List][] = [
    ['blocks', (client) => (id, query) => client.agents.blocks.list(id, query)],
    ['tools', (client) => (id, query) => client.agents.tools.list(id, query)],
    ['folders', (client) => (id, query) => client.agents.folders.list(id, query)],
  ]

  const expectWalks = async (list: List, id: string, made: string[]) => {
    for (const order of ['asc', 'desc'] as const) {
      const expected = order === 'asc' ? made : made.toReversed()
      expect(await ids(list(id, { limit: 2, order }))).toEqual(expected)
      // Page by page from the end, each page in the order of the list.
      const [a, b, c, d] = expected as [string, string, string, string]
      expect(await ids(list(id, { limit: 2, order, before: expected[4]! }))).toEqual([c, d, a, b])
    }
  }

  test.each(lists)('%s of an agent come each once, in both directions', async (name, listOf) => {
    const { alice, bob } = server
    const part = PARTS.find((one) => one.name === name)!
    const made: string[] = []
    for (let count = 0; count < 5; count++) {
      made.push(await part.make(alice))
      await part.attach(alice, made.at(-1)!)
    }
    await expectWalks(listOf(alice), agent_id, made)
    await refused(all(listOf(bob)(agent_id, { limit: 2 })), Letta.NotFoundError, agent_id)
  })

  test('agents of a block come each once, in both directions', async () => {
    const { alice, bob } = server
    const { id } = await alice.blocks.create({ label: 'shared', value: 'x' })
    const made: string[] = []
    for (let count = 0; count < 5; count++) {
      const body = { name: `Agent ${count}`, include_base_tools: false, block_ids: [id] }
      made.push((await alice.agents.create(body)).id)
    }
    await expectWalks((block, query) => alice.blocks.agents.list(block, query), id, made)
    await refused(all(bob.blocks.agents.list(id)), Letta.NotFoundError, id)
  })
})

describe('parts of an agent', () => {
  test('blocks are read and changed by their label', async () => {
    const { alice, bob } = server
    const metadata = { agent_type: 'svc_v1_agent', none: null }
    const { id } = await alice.blocks.create({ label: 'human', value: 'letta_v1_agent', metadata })
    const state = await alice.agents.blocks.attach(id, { agent_id })
    expect(state).toMatchObject({ id: agent_id, agent_type: 'letta_v1_agent', blocks: [{ id, metadata }] })
    expect(await alice.agents.blocks.retrieve('human', { agent_id })).toMatchObject({ id, value: 'letta_v1_agent' })
    const updated = await alice.agents.blocks.update('human', {
      agent_id,
      value: 'svc_core, letta_core',
      description: null,
      metadata: null,
    })
    expect(updated).toMatchObject({ id, label: 'human', value: 'svc_core, letta_core', metadata })
    expect(await alice.blocks.retrieve(id)).toEqual(updated)
    expect(await all(alice.blocks.agents.list(id, { limit: 1 }))).toMatchObject([
      { id: agent_id, agent_type: 'letta_v1_agent' },
    ])
    await refused(alice.agents.blocks.retrieve('persona', { agent_id }), Letta.NotFoundError, /persona/)
    await refused(bob.agents.blocks.retrieve('human', { agent_id }), Letta.NotFoundError, agent_id)
    await refused(bob.agents.blocks.update('human', { agent_id, value: 'his' }), Letta.NotFoundError, agent_id)
    await refused(bob.blocks.agents.list(id), Letta.NotFoundError, id)

    const twin = await alice.blocks.create({ label: 'human', value: 'x' })
    await refused(alice.agents.blocks.attach(twin.id, { agent_id }), Letta.ConflictError, /same label/)
    expect(await alice.agents.blocks.detach(id, { agent_id })).toMatchObject({ id: agent_id, blocks: [] })
  })

  test('an agent has one archive, which lists of archives find by it', async () => {
    const { alice, bob } = server
    const [one, two] = [await alice.archives.create({ name: 'One' }), await alice.archives.create({ name: 'Two' })]
    const attached = () => all(alice.archives.list({ agent_id }))
    for (let time = 0; time < 2; time++) expect(await alice.agents.archives.attach(one.id, { agent_id })).toBeNull()
    expect(await attached()).toEqual([one])
    await refused(alice.agents.archives.attach(two.id, { agent_id }), Letta.ConflictError, /archive/)
    await refused(bob.agents.archives.attach(one.id, { agent_id }), Letta.NotFoundError, /^404 No /)
    for (let time = 0; time < 2; time++) expect(await alice.agents.archives.detach(one.id, { agent_id })).toBeNull()
    expect(await attached()).toEqual([])
    await refused(alice.agents.archives.attach(`archive-${UNKNOWN}`, { agent_id }), Letta.NotFoundError, UNKNOWN)
    await refused(bob.archives.list({ agent_id }), Letta.NotFoundError, agent_id)
  })

  test('tools can require approval before they are called', async () => {
    const { alice, bob } = server
    const tool = await alice.tools.create({ source_code: `def pay_${n++}():\n    """Pays."""` })
    await alice.agents.tools.attach(tool.id, { agent_id })
    const rules = async () => (await alice.agents.retrieve(agent_id)).tool_rules
    const name = tool.name!
    expect(await alice.agents.tools.updateApproval(name, { agent_id, body_requires_approval: true })).toBeNull()
    expect(await rules()).toMatchObject([{ type: 'requires_approval', tool_name: name }])
    await alice.agents.tools.updateApproval(name, {
      agent_id,
      body_requires_approval: false,
      query_requires_approval: null,
    })
    expect(await rules()).toEqual([])
    const approval = { agent_id, body_requires_approval: true }
    await refused(alice.agents.tools.updateApproval('nobody', approval), Letta.NotFoundError, /nobody/)
    await refused(bob.agents.tools.updateApproval(name, approval), Letta.NotFoundError, agent_id)
    expect(await rules()).toEqual([])
  })

  test('a folder brings the tools that read its files, and knows its agents', async () => {
    const { alice, bob } = server
    const { id } = await alice.folders.create({ name: `Files ${n++}` })
    expect(await alice.agents.folders.attach(id, { agent_id })).toBeNull()
    const types = async () => (await all(alice.agents.tools.list(agent_id))).map(({ tool_type }) => tool_type)
    expect(await types()).toEqual(['letta_files_core', 'letta_files_core', 'letta_files_core'])
    expect(await all(alice.agents.folders.list(agent_id))).toMatchObject([{ id, vector_db_provider: 'native' }])
    expect(await alice.folders.agents.list(id)).toEqual([agent_id])
    await refused(bob.folders.agents.list(id), Letta.NotFoundError, id)
    expect(await alice.agents.folders.detach(id, { agent_id })).toBeNull()
    expect(await types()).toEqual([])
    expect(await alice.folders.agents.list(id)).toEqual([])
  })
})

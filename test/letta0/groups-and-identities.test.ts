import { expect, test } from 'vitest'
import { MODEL, olderSdk, pages, refused, unknown } from './client.ts'

const older = olderSdk()

test('a group is created, retrieved, modified, counted and deleted', async () => {
  const { groups, agents, blocks } = older.alice
  const agent = await agents.create(MODEL)
  const block = await blocks.create({ label: 'shared', value: '' })
  const count = await groups.count()
  const made = await groups.create({
    agentIds: [agent.id],
    description: 'Talkers',
    managerConfig: { managerType: 'round_robin', maxTurns: 3 },
    sharedBlockIds: [block.id!],
    projectId: 'a-project',
  })
  expect(made).toMatchObject({ agentIds: [agent.id], description: 'Talkers', managerType: 'round_robin', maxTurns: 3 })
  expect(made).toMatchObject({ sharedBlockIds: [block.id], projectId: 'a-project' })
  expect(await groups.retrieve(made.id)).toEqual(made)
  const changed = await groups.modify(made.id, {
    agentIds: [],
    managerConfig: { managerType: 'round_robin', maxTurns: 0 },
  })
  expect(changed).toMatchObject({ ...made, agentIds: [], maxTurns: 0 })
  expect(await groups.count()).toBe(count + 1)
  expect(await groups.delete(made.id)).toEqual({ message: `Group id=${made.id} successfully deleted` })
  await refused(groups.retrieve(made.id), 404, made.id)
})

test('a group has any manager the SDK can ask for', async () => {
  const { groups, agents } = older.alice
  const { id: managerAgentId } = await agents.create(MODEL)
  const make = async (managerConfig: NonNullable<Parameters<typeof groups.create>[0]['managerConfig']>) =>
    expect(await groups.create({ agentIds: [], description: '', managerConfig })).toMatchObject(managerConfig)
  await make({ managerType: 'supervisor', managerAgentId })
  await make({ managerType: 'dynamic', managerAgentId, terminationToken: 'END', maxTurns: 2 })
  await make({ managerType: 'sleeptime', managerAgentId, sleeptimeAgentFrequency: 5 })
  await make({ managerType: 'voice_sleeptime', managerAgentId, maxMessageBufferLength: 20, minMessageBufferLength: 10 })
  await refused(
    groups.create({
      agentIds: [],
      description: '',
      managerConfig: { managerType: 'supervisor', managerAgentId: unknown('agent') },
    }),
    404,
  )
})

test('groups are listed by manager and project, page by page', async () => {
  const { groups } = older.alice
  const make = () => groups.create({ agentIds: [], description: '', projectId: 'listed' })
  const made = [(await make()).id, (await make()).id, (await make()).id]
  expect(await pages((page) => groups.list({ projectId: 'listed', ...page }))).toEqual(made)
  expect(await groups.list({ projectId: 'listed', managerType: 'dynamic' })).toEqual([])
  const newest = await groups.list({ projectId: 'listed', order: 'desc', orderBy: 'created_at', limit: 1 })
  expect(newest).toMatchObject([{ id: made[2] }])
})

test('an identity is created, upserted, retrieved, modified, counted and deleted', async () => {
  const { identities } = older.alice
  const body = { identifierKey: 'grace', name: 'Grace', identityType: 'user' as const }
  const properties = [{ key: 'age', value: 40, type: 'number' as const }]
  const count = await identities.count()
  const made = await identities.create({ ...body, properties })
  expect(made).toMatchObject({ ...body, properties, agentIds: [], blockIds: [] })
  expect(await identities.retrieve(made.id!)).toEqual(made)
  await refused(identities.create(body), 409)
  expect(await identities.upsert({ ...body, name: 'Grace H.', properties })).toMatchObject({
    id: made.id,
    name: 'Grace H.',
  })
  expect(await identities.upsert({ ...body, identifierKey: 'ada' })).toMatchObject({ identifierKey: 'ada' })
  expect(await identities.count()).toBe(count + 2)
  expect(await identities.modify(made.id!, { name: 'Hopper' })).toMatchObject({
    id: made.id,
    name: 'Hopper',
    properties,
  })
  const set = [
    { key: 'age', value: 41, type: 'number' as const },
    { key: 'plan', value: 'free', type: 'string' as const },
  ]
  expect((await identities.modify(made.id!, { properties: [set[1]!] })).properties).toEqual([...properties, set[1]])
  expect((await identities.modify(made.id!, { properties: [set[0]!] })).properties).toEqual(set)
  await identities.properties.upsert(made.id!, [{ key: 'admin', value: true, type: 'boolean' }])
  const { properties: replaced } = await identities.retrieve(made.id!)
  expect(replaced).toEqual([{ key: 'admin', value: true, type: 'boolean' }])
  await identities.delete(made.id!)
  await refused(identities.retrieve(made.id!), 404, made.id!)
  await refused(identities.properties.upsert(made.id!, []), 404, made.id!)
})

test('identities are listed with their agents and blocks, page by page', async () => {
  const { identities, agents, blocks } = older.alice
  const make = (identifierKey: string, identityType: 'org' | 'other') =>
    identities.create({ identifierKey, name: `Of ${identifierKey}`, identityType, projectId: 'listed' })
  const [one, two, three] = [await make('k1', 'org'), await make('k2', 'org'), await make('k3', 'other')]
  const all = [three.id, two.id, one.id]
  const listed = async (request: Parameters<typeof identities.list>[0]) =>
    (await identities.list({ projectId: 'listed', ...request })).map(({ id }) => id)
  expect(await pages((page) => identities.list({ projectId: 'listed', ...page }))).toEqual(all)
  expect(await listed({ order: 'asc', orderBy: 'created_at' })).toEqual([...all].reverse())
  expect(await listed({ name: 'OF K2' })).toEqual([two.id])
  expect(await listed({ identifierKey: 'k1' })).toEqual([one.id])
  expect(await listed({ identityType: 'org' })).toEqual([two.id, one.id])

  const agent = await agents.create(MODEL)
  const block = await blocks.create({ label: 'human', value: '' })
  const linked = await identities.modify(one.id!, { agentIds: [agent.id], blockIds: [block.id!] })
  expect(linked).toMatchObject({ agentIds: [agent.id], blockIds: [block.id] })
  const other = await agents.create(MODEL)
  const extended = await identities.modify(one.id!, { agentIds: [other.id, agent.id], blockIds: [] })
  expect(extended.agentIds!.toSorted()).toEqual([agent.id, other.id].toSorted())
  expect(extended.blockIds).toEqual([block.id])
  await agents.delete(other.id)
  expect(await identities.agents.list(one.id!, { limit: 2, order: 'asc' })).toMatchObject([{ id: agent.id }])
  expect(await identities.blocks.list(one.id!, { limit: 2, order: 'asc' })).toEqual([block])
  expect(await identities.agents.list(two.id!)).toEqual([])
  await refused(identities.agents.list(unknown('identity')), 404)
  await refused(identities.blocks.list(unknown('identity')), 404)
})

test('another tenant’s groups and identities are a 404', async () => {
  const { alice, bob } = older
  const agent = await alice.agents.create(MODEL)
  const group = await alice.groups.create({ agentIds: [agent.id], description: '' })
  await refused(bob.groups.retrieve(group.id), 404, group.id)
  await refused(bob.groups.modify(group.id, { description: 'mine' }), 404, group.id)
  await refused(bob.groups.delete(group.id), 404, group.id)
  await refused(bob.groups.create({ agentIds: [agent.id], description: '' }), 404, agent.id)
  expect(await bob.groups.count()).toBe(0)
  const identity = await alice.identities.create({ identifierKey: 'x', name: 'X', identityType: 'user' })
  await refused(bob.identities.retrieve(identity.id!), 404, identity.id!)
  await refused(bob.identities.modify(identity.id!, { name: 'mine' }), 404, identity.id!)
  await refused(bob.identities.delete(identity.id!), 404, identity.id!)
  const own = await bob.identities.upsert({ identifierKey: 'x', name: 'Mine', identityType: 'user' })
  expect(own.id).not.toBe(identity.id)
  expect(await alice.identities.retrieve(identity.id!)).toEqual(identity)
})

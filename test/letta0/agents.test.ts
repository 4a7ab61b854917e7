import { expect, test } from 'vitest'
import { MODEL, olderSdk, pages, refused, unknown } from './client.ts'

const older = olderSdk()

test('an agent is created, retrieved, modified, counted and deleted', async () => {
  const { alice } = older
  const count = await alice.agents.count()
  const made = await alice.agents.create({
    ...MODEL,
    name: 'Ada',
    agentType: 'memgpt_v2_agent',
    memoryBlocks: [{ label: 'human', value: 'Grace' }],
    tags: ['a', 'b'],
    metadata: { keepThis_key: null },
    secrets: { KEY: 'value' },
    toolRules: [{ type: 'run_first', toolName: 'send_message' }],
    messageBufferAutoclear: true,
  })
  expect(made).toMatchObject({
    name: 'Ada',
    agentType: 'memgpt_v2_agent',
    tags: ['a', 'b'],
    metadata: { keepThis_key: null },
    messageBufferAutoclear: true,
    llmConfig: { handle: MODEL.model },
    embeddingConfig: { handle: MODEL.embedding },
    memory: { agentType: 'memgpt_v2_agent', blocks: [{ label: 'human', value: 'Grace' }] },
    secrets: [{ key: 'KEY', value: 'value' }],
  })
  expect(made.createdAt).toBeInstanceOf(Date)
  expect(made.toolRules).toContainEqual(expect.objectContaining({ type: 'run_first', toolName: 'send_message' }))
  expect(made.tools.map(({ toolType }) => toolType)).toContain('letta_core')

  const includeRelationships = [
    'memory',
    'tools',
    'sources',
    'tags',
    'secrets',
    'tool_exec_environment_variables',
    'identity_ids',
  ]
  expect(await alice.agents.retrieve(made.id, { includeRelationships })).toMatchObject({ ...made, identityIds: [] })

  const changed = await alice.agents.modify(made.id, { name: 'Lovelace', tags: ['c'], toolRules: [] })
  expect(changed).toMatchObject({ id: made.id, name: 'Lovelace', tags: ['c'], toolRules: [], system: made.system })
  expect(await alice.agents.count()).toBe(count + 1)

  expect(await alice.agents.delete(made.id)).toEqual({ message: `Agent id=${made.id} successfully deleted` })
  await refused(alice.agents.retrieve(made.id), 404, made.id)
  await refused(alice.agents.delete(made.id), 404, made.id)
})

test('agents are listed by every filter and sort key of the SDK, page by page', async () => {
  const { alice } = older
  const make = (name: string, tags: string[]) => alice.agents.create({ ...MODEL, name, tags, projectId: 'listed' })
  const [one, two, three] = [await make('Uno', ['x']), await make('Due', ['x', 'y']), await make('Tre', ['y'])]
  const listed = async (request: Parameters<typeof alice.agents.list>[0]) =>
    (await alice.agents.list({ projectId: 'listed', ...request })).map(({ id }) => id)
  const all = [three.id, two.id, one.id]
  expect(await listed({})).toEqual(all)
  expect(await listed({ order: 'asc', orderBy: 'created_at' })).toEqual([...all].reverse())
  expect(await listed({ ascending: true, sortBy: 'created_at' })).toEqual([...all].reverse())
  expect(await listed({ orderBy: 'last_run_completion' })).toEqual(all)
  expect(await listed({ name: 'Due' })).toEqual([two.id])
  expect(await listed({ queryText: 'U' })).toEqual([two.id, one.id])
  expect(await listed({ tags: ['x', 'y'] })).toEqual(all)
  expect(await listed({ tags: ['x', 'y'], matchAllTags: true })).toEqual([two.id])
  expect(await listed({ tags: 'y' })).toEqual([three.id, two.id])
  expect(await listed({ templateId: 'none' })).toEqual([])
  expect(await listed({ baseTemplateId: 'none' })).toEqual([])
  expect(await pages((page) => alice.agents.list({ projectId: 'listed', ...page }))).toEqual(all)
})

test('agents are listed by their identities', async () => {
  const { alice } = older
  const agent = await alice.agents.create(MODEL)
  const identity = await alice.identities.create({
    identifierKey: 'of-agents',
    name: 'Grace',
    identityType: 'user',
    agentIds: [agent.id],
  })
  for (const filter of [{ identityId: identity.id! }, { identifierKeys: ['of-agents', 'other'] }]) {
    expect(await alice.agents.list(filter)).toMatchObject([{ id: agent.id }])
  }
})

test('a search finds agents that meet every criterion, page by page', async () => {
  const { alice, bob } = older
  const make = (name: string, tags: string[]) => alice.agents.create({ ...MODEL, name, tags, projectId: 'searched' })
  const one = await make('a_b sure', ['x'])
  const two = await make('axb surely', ['x', 'y'])
  const found = async (request: Parameters<typeof alice.agents.search>[0]) =>
    (await alice.agents.search({ projectId: 'searched', ...request })).agents.map(({ id }) => id)
  expect(await found({})).toEqual([two.id, one.id])
  expect(await found({ ascending: true, sortBy: 'created_at', combinator: 'AND' })).toEqual([one.id, two.id])
  expect(await found({ search: [{ field: 'name', operator: 'eq', value: 'a_b sure' }] })).toEqual([one.id])
  expect(await found({ search: [{ field: 'name', operator: 'contains', value: '_B S' }] })).toEqual([one.id])
  expect(await found({ search: [{ field: 'tags', operator: 'contains', value: ['x', 'y'] }] })).toEqual([two.id])
  expect(await found({ search: [{ field: 'identity', operator: 'eq', value: 'nobody' }] })).toEqual([])
  const both = [
    { field: 'tags' as const, operator: 'contains' as const, value: ['x'] },
    { field: 'name' as const, operator: 'contains' as const, value: 'surely' },
  ]
  expect(await found({ search: both })).toEqual([two.id])

  const first = await alice.agents.search({ projectId: 'searched', limit: 1 })
  expect(first).toMatchObject({ agents: [{ id: two.id, tags: ['x', 'y'] }], nextCursor: two.id })
  const second = await alice.agents.search({ projectId: 'searched', limit: 1, after: first.nextCursor! })
  expect(second.agents).toMatchObject([{ id: one.id }])
  expect(second.nextCursor).toBeUndefined()
  expect((await bob.agents.search({ projectId: 'searched' })).agents).toEqual([])
  await refused(alice.agents.search({ limit: 0 }), 422, 'limit')
})

test('an exported file is a string that can be imported', async () => {
  const { alice, bob } = older
  const agent = await alice.agents.create({
    ...MODEL,
    name: 'Courier',
    memoryBlocks: [{ label: 'human', value: 'Grace' }],
  })
  const file = await alice.agents.exportFile(agent.id)
  expect(JSON.parse(file)).toMatchObject({ agents: [{ name: 'Courier' }], blocks: [{ value: 'Grace' }] })

  const { agentIds } = await bob.agents.importFile(new Blob([file]), { appendCopySuffix: false, stripMessages: true })
  expect(agentIds).toHaveLength(1)
  const copy = await bob.agents.retrieve(agentIds[0]!, { includeRelationships: ['memory'] })
  expect(copy).toMatchObject({ name: 'Courier', memory: { blocks: [{ label: 'human', value: 'Grace' }] } })
  await refused(bob.agents.exportFile(agent.id), 404, agent.id)
  await refused(bob.agents.importFile(new Blob(['{']), {}), 400, 'file')
})

test('core memory and its variables are retrieved', async () => {
  const { alice } = older
  const agent = await alice.agents.create({ ...MODEL, memoryBlocks: [{ label: 'human', value: 'Grace' }] })
  expect(await alice.agents.coreMemory.retrieve(agent.id)).toMatchObject({
    agentType: 'letta_v1_agent',
    blocks: [{ label: 'human', value: 'Grace' }],
    fileBlocks: [],
  })
  expect(await alice.agents.memoryVariables.list(agent.id)).toEqual({ variables: {} })
  await refused(alice.agents.coreMemory.retrieve(unknown('agent')), 404)
  await refused(alice.agents.memoryVariables.list(unknown('agent')), 404)
})

test('another tenant’s agent is a 404', async () => {
  const { alice, bob } = older
  const { id } = await alice.agents.create(MODEL)
  await refused(bob.agents.retrieve(id), 404, id)
  await refused(bob.agents.modify(id, { name: 'Mine' }), 404, id)
  await refused(bob.agents.delete(id), 404, id)
  await refused(bob.agents.coreMemory.retrieve(id), 404, id)
  await refused(bob.agents.groups.list(id), 404, id)
  expect((await bob.agents.list()).map((agent) => agent.id)).not.toContain(id)
})

import { beforeAll, expect, test } from 'vitest'
import { EMBEDDING, MODEL, olderSdk, pages, refused, sourceOf, unknown } from './client.ts'

const older = olderSdk()

let id: string
beforeAll(async () => {
  id = (await older.alice.agents.create({ ...MODEL, includeBaseTools: false })).id
})

test('blocks are attached, read and changed by their label, listed and detached', async () => {
  const { blocks } = older.alice.agents
  const make = (label: string) => older.alice.blocks.create({ label, value: label })
  const made = [await make('one'), await make('two'), await make('three')]
  for (const block of made) {
    const { memory } = await blocks.attach(id, block.id!)
    expect(memory.blocks.map(({ label }) => label)).toContain(block.label)
  }
  expect(await pages((page) => blocks.list(id, page))).toEqual(made.map((block) => block.id).reverse())
  expect(await blocks.list(id, { order: 'asc', orderBy: 'created_at', limit: 1 })).toMatchObject([{ label: 'one' }])
  expect(await blocks.retrieve(id, 'two')).toEqual(made[1])
  expect(await blocks.modify(id, 'two', { value: 'zwei', description: 'Two' })).toMatchObject({ value: 'zwei' })
  expect(await older.alice.blocks.retrieve(made[1]!.id!)).toMatchObject({ value: 'zwei', description: 'Two' })

  const left = await blocks.detach(id, made[0]!.id!)
  expect(left.memory.blocks.map(({ label }) => label)).toEqual(['two', 'three'])
  await refused(blocks.retrieve(id, 'one'), 404, 'one')
  await refused(blocks.modify(id, 'one', { value: '' }), 404, 'one')
  await refused(blocks.detach(id, made[0]!.id!), 404, made[0]!.id!)
  await refused(blocks.attach(id, (await make('two')).id!), 409)
})

test('tools are attached, listed, put under approval and detached', async () => {
  const { tools } = older.alice.agents
  const make = (name: string) => older.alice.tools.create({ sourceCode: sourceOf(name) })
  const made = [await make('roll'), await make('throw_it'), await make('cast')]
  for (const tool of made) {
    const agent = await tools.attach(id, tool.id!)
    expect(agent.tools.map(({ name }) => name)).toContain(tool.name)
  }
  expect(await pages((page) => tools.list(id, page))).toEqual(made.map((tool) => tool.id).reverse())

  const asked = await tools.modifyApproval(id, 'roll', { requiresApproval: true })
  expect(asked.toolRules).toEqual([{ type: 'requires_approval', toolName: 'roll' }])
  const free = await tools.modifyApproval(id, 'roll', { requiresApproval: false })
  expect(free.toolRules).toEqual([])

  expect((await tools.detach(id, made[0]!.id!)).tools.map(({ name }) => name)).toEqual(['throw_it', 'cast'])
  await refused(tools.attach(id, unknown('tool')), 404)
  await refused(tools.attach(unknown('agent'), made[0]!.id!), 404)
})

test.each(['folders', 'sources'] as const)('%s are attached, listed and detached', async (kind) => {
  const { alice } = older
  const make = (n: number) => alice[kind].create({ name: `${kind} ${n}`, embedding: EMBEDDING })
  const made = [await make(1), await make(2), await make(3)]
  for (const one of made) {
    const agent = await alice.agents[kind].attach(id, one.id!)
    expect(agent.sources.map(({ name }) => name)).toContain(one.name)
    expect(agent.sources[0]!.createdAt).toBeInstanceOf(Date)
  }
  expect(await pages((page) => alice.agents[kind].list(id, page))).toEqual(made.map((one) => one.id).reverse())
  for (const one of made) {
    const { sources } = await alice.agents[kind].detach(id, one.id!)
    expect(sources.map(({ name }) => name)).not.toContain(one.name)
  }
  expect(await alice.agents[kind].list(id)).toEqual([])
  await refused(alice.agents[kind].attach(id, unknown('source')), 404)
  await refused(alice.agents[kind].list(unknown('agent')), 404)
})

test('the groups of an agent are listed, newest first, page by page', async () => {
  const { alice } = older
  const make = (description: string) => alice.groups.create({ agentIds: [id], description })
  const made = [await make('one'), await make('two'), await make('three')]
  await alice.groups.create({ agentIds: [], description: 'Of others' })
  expect(await pages((page) => alice.agents.groups.list(id, page))).toEqual(made.map((group) => group.id).reverse())
  expect(await alice.agents.groups.list(id, { managerType: 'supervisor' })).toEqual([])
  expect(await alice.agents.groups.list(id, { order: 'asc', limit: 1 })).toEqual([made[0]])
  await refused(alice.agents.groups.list(unknown('agent')), 404)
})

test('attaching another tenant’s resource is a 404', async () => {
  const { alice, bob } = older
  const block = await bob.blocks.create({ label: 'bob', value: '' })
  const tool = await bob.tools.create({ sourceCode: sourceOf('bobs') })
  const folder = await bob.folders.create({ name: 'Bob’s' })
  await refused(alice.agents.blocks.attach(id, block.id!), 404, block.id!)
  await refused(alice.agents.tools.attach(id, tool.id!), 404, tool.id!)
  await refused(alice.agents.folders.attach(id, folder.id!), 404, folder.id!)
  await refused(bob.agents.blocks.attach(id, block.id!), 404, id)
})

import { expect, test } from 'vitest'
import { MODEL, olderSdk, pages, refused, unknown } from './client.ts'

const older = olderSdk()

test('a block is created, retrieved, modified, counted and deleted', async () => {
  const { blocks } = older.alice
  const count = await blocks.count()
  const made = await blocks.create({
    label: 'human',
    value: 'Grace',
    limit: 100,
    metadata: { keepThis_key: 1 },
    readOnly: true,
  })
  expect(made).toMatchObject({
    label: 'human',
    value: 'Grace',
    limit: 100,
    metadata: { keepThis_key: 1 },
    readOnly: true,
  })
  expect(await blocks.retrieve(made.id!)).toEqual(made)
  expect(await blocks.modify(made.id!, { value: 'Ada', limit: 200 })).toMatchObject({
    ...made,
    value: 'Ada',
    limit: 200,
  })
  expect(await blocks.count()).toBe(count + 1)
  await refused(blocks.modify(made.id!, { value: 'x'.repeat(201) }), 422, '201')
  await blocks.delete(made.id!)
  await refused(blocks.retrieve(made.id!), 404, made.id!)
})

test('blocks are listed by every filter of the SDK, page by page', async () => {
  const { alice } = older
  const make = (label: string, value: string) =>
    alice.blocks.create({ label, value, description: `About ${value}`, projectId: 'listed' })
  const [one, two, three] = [await make('alpha', 'Uno'), await make('beta', 'Due'), await make('beta', 'Tre')]
  const agent = await alice.agents.create({ ...MODEL, blockIds: [two.id!] })
  const identity = await alice.identities.create({
    identifierKey: 'of-blocks',
    name: 'Grace',
    identityType: 'user',
    blockIds: [three.id!],
  })
  const template = await alice.blocks.create({
    label: 'alpha',
    value: '',
    isTemplate: true,
    name: 'stencil',
    projectId: 'listed',
  })
  const listed = async (request: Parameters<typeof alice.blocks.list>[0]) =>
    (await alice.blocks.list({ projectId: 'listed', ...request })).map(({ id }) => id)
  expect(await listed({ templatesOnly: false })).toEqual([one.id, two.id, three.id])
  expect(await listed({ templatesOnly: true })).toEqual([template.id])
  expect(await listed({ label: 'beta', order: 'desc', orderBy: 'created_at' })).toEqual([three.id, two.id])
  expect(await listed({ labelSearch: 'LPH', valueSearch: 'u' })).toEqual([one.id])
  expect(await listed({ descriptionSearch: 'tre' })).toEqual([three.id])
  expect(await listed({ connectedToAgentsCountGt: 0 })).toEqual([two.id])
  expect(await listed({ connectedToAgentsCountEq: [1, 2] })).toEqual([two.id])
  expect(await listed({ connectedToAgentsCountLt: 1, label: 'alpha', valueSearch: 'uno' })).toEqual([one.id])
  expect(await listed({ identityId: identity.id! })).toEqual([three.id])
  expect(await listed({ identifierKeys: ['of-blocks'] })).toEqual([three.id])
  expect(await pages((page) => alice.blocks.list({ projectId: 'listed', ...page }))).toEqual([one.id, two.id, three.id])
  expect(await alice.blocks.agents.list(two.id!, { includeRelationships: ['tags'], limit: 2 })).toMatchObject([
    { id: agent.id },
  ])
  await refused(alice.blocks.agents.list(unknown('block')), 404)
})

test('another tenant’s block is a 404', async () => {
  const { alice, bob } = older
  const { id } = await alice.blocks.create({ label: 'human', value: 'secret' })
  await refused(bob.blocks.retrieve(id!), 404, id!)
  await refused(bob.blocks.modify(id!, { value: 'mine' }), 404, id!)
  await refused(bob.blocks.delete(id!), 404, id!)
  await refused(bob.blocks.agents.list(id!), 404, id!)
  expect(await bob.blocks.list()).toEqual([])
  expect(await bob.blocks.count()).toBe(0)
})

test('the tags of the tenant’s agents are listed, page by page', async () => {
  const { alice, bob } = older
  await alice.agents.create({ ...MODEL, tags: ['red', 'green', 'blue'] })
  expect(await alice.tags.list()).toEqual(['blue', 'green', 'red'])
  expect(await alice.tags.list({ order: 'desc', orderBy: 'name', limit: 2 })).toEqual(['red', 'green'])
  expect(await alice.tags.list({ after: 'blue', limit: 1 })).toEqual(['green'])
  expect(await alice.tags.list({ before: 'red' })).toEqual(['blue', 'green'])
  expect(await alice.tags.list({ queryText: 'RE' })).toEqual(['green', 'red'])
  expect(await alice.tags.list({ name: 'blu' })).toEqual(['blue'])
  expect(await bob.tags.list()).toEqual([])
})

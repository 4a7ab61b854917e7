import { expect, test } from 'vitest'
import { EMBEDDING, MODEL, olderSdk, pages, refused, unknown } from './client.ts'

const older = olderSdk()

test.each(['folders', 'sources'] as const)(
  'one of the %s is created, retrieved, modified, counted and deleted',
  async (kind) => {
    const resource = older.alice[kind]
    const count = await resource.count()
    const made = await resource.create({
      name: `Manuals (${kind})`,
      description: 'Of tools',
      instructions: 'Quote them',
      metadata: { keepThis_key: 1 },
      embedding: EMBEDDING,
      embeddingChunkSize: 200,
    })
    expect(made).toMatchObject({
      name: `Manuals (${kind})`,
      description: 'Of tools',
      instructions: 'Quote them',
      metadata: { keepThis_key: 1 },
      embeddingConfig: { handle: EMBEDDING, embeddingChunkSize: 200 },
      ...(kind === 'sources' && { vectorDbProvider: 'native' }),
    })
    expect(made.createdAt).toBeInstanceOf(Date)
    expect(await resource.retrieve(made.id!)).toEqual(made)
    expect(await resource.retrieveByName(made.name)).toBe(made.id)
    expect(await resource.modify(made.id!, { description: 'Of machines' })).toMatchObject({
      id: made.id,
      name: made.name,
      description: 'Of machines',
    })
    expect(await resource.count()).toBe(count + 1)
    await refused(resource.create({ name: made.name }), 409)
    await resource.delete(made.id!)
    await refused(resource.retrieve(made.id!), 404, made.id!)
    await refused(resource.retrieveByName(made.name), 404, made.name.split(' ')[0])
    await refused(resource.create({ name: 'x'.repeat(501) }), 422, 'name')
  },
)

test('folders are listed, and their agents too, also as sources', async () => {
  const { alice } = older
  const make = (name: string) => alice.folders.create({ name })
  const made = [await make('One'), await make('Two'), await make('Three')]
  const ids = made.map(({ id }) => id)
  expect(await pages((page) => alice.folders.list(page))).toEqual(ids)
  expect((await alice.folders.list({ order: 'desc', orderBy: 'created_at' })).map(({ id }) => id)).toEqual(
    [...ids].reverse(),
  )
  expect(await alice.folders.list({ name: 'tHR' })).toMatchObject([{ id: ids[2] }])
  expect((await alice.sources.list()).map(({ id }) => id)).toEqual(ids)

  const agents = [await alice.agents.create(MODEL), await alice.agents.create(MODEL)]
  for (const agent of agents) await alice.agents.folders.attach(agent.id, ids[0]!)
  const newest = agents.map(({ id }) => id).reverse()
  expect(await alice.folders.agents.list(ids[0]!)).toEqual(newest)
  expect(await alice.folders.agents.list(ids[0]!, { limit: 1, after: newest[0]! })).toEqual([newest[1]])
  expect(await alice.sources.getAgentsForSource(ids[0]!)).toEqual(newest)
  await refused(alice.folders.agents.list(unknown('source')), 404)
})

test('the metadata of folders count their files and bytes', async () => {
  const { bob } = older
  const folder = await bob.folders.create({ name: 'Papers' })
  const file = { id: 'file-0', source_id: 'source-0', file_name: 'notes.txt', file_size: 12, content: 'Some notes.' }
  const source = { id: 'source-0', name: 'Letters', embedding_config: folder.embeddingConfig }
  const agents = [{ id: 'agent-0', name: 'Clerk', source_ids: ['source-0'] }]
  const { embedding_config: _, ...plain } = source
  await bob.agents.importFile(new Blob([JSON.stringify({ agents, sources: [plain], files: [file] })]), {})

  const totals = { totalSources: 2, totalFiles: 1, totalSize: 12 }
  const files = [{ fileName: 'notes.txt', fileSize: 12 }]
  const sources = [
    { sourceId: folder.id, sourceName: 'Papers', fileCount: 0, totalSize: 0, files: [] },
    { sourceName: 'Letters', fileCount: 1, totalSize: 12, files },
  ]
  for (const read of [
    bob.folders.retrieveMetadata.bind(bob.folders),
    bob.sources.getSourcesMetadata.bind(bob.sources),
  ]) {
    expect(await read()).toEqual({ ...totals, sources: [] })
    expect(await read({ includeDetailedPerSourceMetadata: true })).toMatchObject({ ...totals, sources })
  }
  expect(await older.alice.folders.retrieveMetadata()).toMatchObject({ totalFiles: 0, totalSize: 0 })
})

test('archives are created, listed and modified', async () => {
  const { archives, agents } = older.alice
  const make = (name: string) => archives.createArchive({ name, description: 'Of letters' })
  const made = [await make('one'), await make('two'), await make('three')]
  expect(made[0]).toMatchObject({ name: 'one', description: 'Of letters', vectorDbProvider: 'native' })
  expect(made[0]!.createdAt).toBeInstanceOf(Date)
  expect(await pages((page) => archives.listArchives(page))).toEqual(made.map(({ id }) => id).reverse())
  expect(await archives.listArchives({ order: 'asc', limit: 1 })).toEqual([made[0]])
  expect(await archives.listArchives({ name: 'two' })).toEqual([made[1]])
  const agent = await agents.create(MODEL)
  expect(await archives.listArchives({ agentId: agent.id })).toEqual([])
  expect(await archives.modifyArchive(made[0]!.id!, { name: 'uno' })).toMatchObject({ id: made[0]!.id, name: 'uno' })
  await refused(archives.modifyArchive(unknown('archive'), { name: 'uno' }), 404)
  await refused(archives.listArchives({ agentId: unknown('agent') }), 404)
})

test('another tenant’s folders and archives are a 404', async () => {
  const { alice, bob } = older
  const folder = await alice.folders.create({ name: 'Secret' })
  for (const resource of [bob.folders, bob.sources]) {
    await refused(resource.retrieve(folder.id!), 404, folder.id!)
    await refused(resource.modify(folder.id!, { description: 'mine' }), 404, folder.id!)
    await refused(resource.delete(folder.id!), 404, folder.id!)
    await refused(resource.retrieveByName('Secret'), 404)
    expect((await resource.list()).map(({ id }) => id)).not.toContain(folder.id)
  }
  await refused(bob.sources.getAgentsForSource(folder.id!), 404, folder.id!)
  const archive = await alice.archives.createArchive({ name: 'Secret' })
  await refused(bob.archives.modifyArchive(archive.id!, { name: 'Mine' }), 404, archive.id!)
  expect(await bob.archives.listArchives()).toEqual([])
})

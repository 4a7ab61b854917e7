import { expect, test } from 'vitest'
import { olderSdk, pages, refused, unknown } from './client.ts'

const older = olderSdk()

const texts = (passages: { text: string }[]) => passages.map(({ text }) => text)

test('passages are put into an agent’s archival memory, listed, searched and deleted', async () => {
  const { passages } = older.alice.agents
  const { id } = await older.alice.agents.create({ name: 'Ada' })
  expect(await passages.list(id)).toEqual([])
  const createdAt = new Date('2024-03-01T10:00:00Z')
  const [tea] = await passages.create(id, { text: 'Likes green tea.', tags: ['drinks', 'letta_core'], createdAt })
  expect(tea).toMatchObject({
    id: expect.stringMatching(/^passage-.{36}$/),
    text: 'Likes green tea.',
    tags: ['drinks', 'letta_core'],
    metadata: {},
    embeddingConfig: { handle: 'cairn/lexical', embeddingDim: 512 },
  })
  expect(tea!.createdAt).toEqual(createdAt)
  expect(await older.alice.archives.listArchives({ agentId: id })).toMatchObject([
    { id: tea!.archiveId, name: "Ada's Archive" },
  ])
  const [coffee] = await passages.create(id, { text: 'Hates coffee.', tags: ['drinks'] })
  await passages.create(id, { text: 'Is called Ada.' })
  expect(texts(await passages.list(id))).toEqual(['Likes green tea.', 'Hates coffee.', 'Is called Ada.'])
  expect(await pages((page) => passages.list(id, page))).toHaveLength(3)
  expect(texts(await passages.list(id, { ascending: false, limit: 2 }))).toEqual(['Is called Ada.', 'Hates coffee.'])
  expect(await passages.list(id, { search: 'GREEN' })).toEqual([tea])

  const found = await passages.search(id, { query: 'coffee', topK: 1 })
  expect(found).toMatchObject({ count: 1, results: [{ id: coffee!.id, content: 'Hates coffee.', tags: ['drinks'] }] })
  expect(new Date(found.results[0]!.timestamp)).toEqual(coffee!.createdAt)
  const tagged = await passages.search(id, { query: 'drinks', tags: ['drinks', 'letta_core'], tagMatchMode: 'all' })
  expect(tagged.results).toMatchObject([{ id: tea!.id }])
  const dated = await passages.search(id, { query: 'drinks', tags: 'drinks', startDatetime: new Date('2024-03-02') })
  expect(dated.results).toMatchObject([{ id: coffee!.id }])

  expect(await passages.delete(id, tea!.id!)).toEqual({ message: `Memory id=${tea!.id} successfully deleted` })
  await refused(passages.delete(id, tea!.id!), 404, tea!.id!)
  expect(texts(await passages.list(id))).toEqual(['Hates coffee.', 'Is called Ada.'])
})

test('invalid passages are refused, and none is stored', async () => {
  const { passages } = older.alice.agents
  const { id } = await older.alice.agents.create({ name: 'Ada' })
  await refused(passages.create(id, { text: ' ' }), 422, 'text')
  await refused(passages.create(unknown('agent'), { text: 'x' }), 404, unknown('agent'))
  await refused(passages.list(unknown('agent')), 404, unknown('agent'))
  expect(await passages.list(id, { limit: 201 })).toEqual([])
  await refused(passages.search(id, { query: 'x', topK: 101 }), 422, 'top_k')
  expect(await passages.list(id)).toEqual([])
})

test('passages of another tenant’s agent are a 404', async () => {
  const { id } = await older.alice.agents.create({ name: 'Ada' })
  const [made] = await older.alice.agents.passages.create(id, { text: 'Likes tea.' })
  const { passages } = older.bob.agents
  await refused(passages.list(id), 404, id)
  await refused(passages.create(id, { text: 'x' }), 404, id)
  await refused(passages.search(id, { query: 'tea' }), 404, id)
  await refused(passages.delete(id, made!.id!), 404, id)
  const own = await older.bob.agents.create({ name: 'His' })
  await refused(passages.delete(own.id, made!.id!), 404, made!.id!)
  expect(await older.alice.agents.passages.list(id)).toEqual([made])
})

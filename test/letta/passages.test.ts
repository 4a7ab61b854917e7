import Letta from '@letta-ai/letta-client'
import type { EmbeddingConfig } from '@letta-ai/letta-client/resources/models'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { refused, UNKNOWN, useLetta } from './client.ts'

const server = useLetta()

/** How the built-in model is told, in the SDK's names. */
const DEFAULT_EMBEDDING: Partial<EmbeddingConfig> = {
  handle: 'cairn/lexical',
  embedding_model: 'lexical',
  embedding_dim: 512,
}
const PASSAGE = /^passage-.{36}$/

const texts = (passages: { text: string }[]) => passages.map(({ text }) => text)
const ids = (passages: { id?: string }[]) => passages.map(({ id }) => id!)

describe('passages of an archive', () => {
  let archive_id: string
  beforeEach(async () => {
    archive_id = (await server.alice.archives.create({ name: 'letta_core' })).id
  })

  test('are created with the exact text of the request', async () => {
    const { passages } = server.alice.archives
    const metadata = { azure_endpoint: 'letta_core', page: 3, cloud_endpoint: null }
    const made = await passages.create(archive_id, {
      text: 'The svc_core kettle is red.',
      tags: ['letta_core', 'kitchen, upstairs', 'kitchen, upstairs'],
      metadata,
      created_at: '2024-03-01T10:00:00+01:00',
    })
    expect(made).toMatchObject({
      id: expect.stringMatching(PASSAGE),
      archive_id,
      text: 'The svc_core kettle is red.',
      tags: ['letta_core', 'kitchen, upstairs'],
      metadata,
      created_at: '2024-03-01T09:00:00.000Z',
      updated_at: expect.stringMatching(/Z$/),
      embedding_config: DEFAULT_EMBEDDING,
    })
    const plain = await passages.create(archive_id, { text: 'x', tags: null, metadata: null, created_at: null })
    expect(plain).toMatchObject({ text: 'x', tags: [], metadata: {}, created_at: expect.stringMatching(/Z$/) })
  })

  test('include their vectors on request', async () => {
    const { passages } = server.alice.archives
    expect(await passages.create(archive_id, { text: 'A kettle' })).toMatchObject({ embedding: null })
    const query = { include: ['passage.embedding'] }
    const made = await passages.create(archive_id, { text: 'A kettle' }, { query })
    expect(made.embedding).toHaveLength(512)
    expect(Math.hypot(...made.embedding!)).toBeCloseTo(1)
  })

  test('are created in a batch in order, or none of them', async () => {
    const { passages } = server.alice.archives
    const given = Array.from({ length: 250 }, (_, n) => ({ text: `Text ${n}`, tags: [`t${n}`], metadata: { n } }))
    const made = await passages.createMany(archive_id, { passages: given })
    expect(made).toHaveLength(250)
    expect(made).toMatchObject(given)
    expect(new Set(ids(made)).size).toBe(250)
    expect(await passages.createMany(archive_id, { passages: [] })).toEqual([])
    const bad = [{ text: 'fine', tags: ['fine'] }, { text: '  ' }]
    const error = await refused(
      passages.createMany(archive_id, { passages: bad }),
      Letta.UnprocessableEntityError,
      'not blank',
    )
    expect(error.error).toMatchObject({ errors: [{ field: 'passages[1].text' }] })
    expect(await server.alice.passages.search({ archive_id, tags: ['fine'] })).toEqual([])
  })

  test('are deleted, and are a 404 afterwards', async () => {
    const { passages } = server.alice.archives
    const made = await passages.create(archive_id, { text: 'Gone' })
    const { response, data } = await passages.delete(made.id!, { archive_id }).withResponse()
    expect([response.status, data]).toEqual([204, null])
    await refused(passages.delete(made.id!, { archive_id }), Letta.NotFoundError, made.id!)
    expect(await server.alice.passages.search({ archive_id })).toEqual([])
  })

  test('are refused for their cause', async () => {
    const { passages } = server.alice.archives
    const nowhere = `archive-${UNKNOWN}`
    await refused(passages.create(nowhere, { text: 'x' }), Letta.NotFoundError, nowhere)
    await refused(passages.createMany(nowhere, { passages: [{ text: 'x' }] }), Letta.NotFoundError, nowhere)
    await refused(passages.delete(`passage-${UNKNOWN}`, { archive_id }), Letta.NotFoundError, UNKNOWN)
    await refused(passages.create('archive-1', { text: 'x' }), Letta.UnprocessableEntityError, 'archive-<uuid>')
    await refused(passages.create(archive_id, { text: '' }), Letta.UnprocessableEntityError, /^422 text: /)
    const created_at = 'yesterday'
    await refused(passages.create(archive_id, { text: 'x', created_at }), Letta.UnprocessableEntityError, 'created_at')
    await refused(passages.create(archive_id, {} as never), Letta.UnprocessableEntityError, /text/)
  })

  test('of one organization are a 404 for another', async () => {
    const { alice, bob } = server
    const made = await alice.archives.passages.create(archive_id, { text: 'Secret kettle' })
    await refused(bob.archives.passages.create(archive_id, { text: 'x' }), Letta.NotFoundError, archive_id)
    const many = { passages: [{ text: 'x' }] }
    await refused(bob.archives.passages.createMany(archive_id, many), Letta.NotFoundError, archive_id)
    await refused(bob.archives.passages.delete(made.id!, { archive_id }), Letta.NotFoundError, archive_id)
    const his = (await bob.archives.create({ name: 'His' })).id
    await refused(bob.archives.passages.delete(made.id!, { archive_id: his }), Letta.NotFoundError, made.id!)
    await refused(bob.passages.search({ archive_id, query: 'kettle' }), Letta.NotFoundError, archive_id)
    expect(await bob.passages.search({ query: 'Secret kettle' })).toEqual([])
    expect(await alice.passages.search({ archive_id })).toMatchObject([{ passage: { id: made.id } }])
  })
})

describe('a search of passages', () => {
  let archive_id: string
  beforeAll(async () => {
    archive_id = (await server.alice.archives.create({ name: 'Searched' })).id
    await server.alice.archives.passages.createMany(archive_id, {
      passages: [
        {
          text: 'The invoice of the bakery is due on Friday.',
          tags: ['money', 'due'],
          created_at: '2025-01-31T23:30:00Z',
        },
        { text: 'Invoices are sent by post.', tags: ['money'], created_at: '2025-02-01T00:30:00Z' },
        { text: 'The kettle is red.', tags: ['kitchen'], created_at: '2025-02-02T12:00:00Z' },
      ],
    })
  })

  test('returns the best hits first, each with its scores and its index', async () => {
    const found = await server.alice.passages.search({ archive_id, query: 'bakery invoice', limit: 2 })
    expect(found).toHaveLength(2)
    expect(found[0]).toMatchObject({
      passage: { text: 'The invoice of the bakery is due on Friday.', archive_id, embedding_config: DEFAULT_EMBEDDING },
      metadata: {
        search_mode: 'hybrid',
        rank: 1,
        indexes: expect.arrayContaining(['fts']),
        vector_rank: 1,
        fts_rank: 1,
      },
    })
    expect(found[0]!.score).toBeGreaterThan(found[1]!.score)
    expect(found[1]!.score).toBeGreaterThan(0)
  })

  test('applies tags and dates, and ignores null filters', async () => {
    const { passages } = server.alice
    const find = async (query: Letta.PassageSearchParams) =>
      texts((await passages.search({ archive_id, ...query })).map(({ passage }) => passage)).map((text) => text[4])
    expect(await find({})).toEqual(['k', 'i', 'i'])
    expect(await find({ tags: ['due', 'kitchen'] })).toEqual(['k', 'i'])
    expect(await find({ tags: ['money', 'due'], tag_match_mode: 'all', query: 'invoice' })).toEqual(['i'])
    expect(await find({ start_date: '2025-02-02' })).toEqual(['k'])
    expect(await find({ end_date: '2025-01-31' })).toHaveLength(1)
    expect(await find({ start_date: '2025-02-01', end_date: '2025-02-01' })).toHaveLength(1)
    const nothing = { query: null, tags: null, start_date: null, end_date: null, agent_id: null }
    expect(await find(nothing)).toHaveLength(3)
  })

  test('is refused for its cause', async () => {
    const { passages } = server.alice
    const { UnprocessableEntityError } = Letta
    await refused(passages.search({ archive_id, limit: 0 }), UnprocessableEntityError, 'limit')
    expect((await passages.search({ archive_id, limit: 101 })).length).toBeGreaterThan(0)
    await refused(passages.search({ archive_id, start_date: 'soon' }), UnprocessableEntityError, 'start_date')
    await refused(passages.search({ agent_id: `agent-${UNKNOWN}` }), Letta.NotFoundError, UNKNOWN)
  })
})

describe('the archival memory of an agent', () => {
  let agent_id: string
  beforeEach(async () => {
    agent_id = (await server.alice.agents.create({ name: 'Ada', include_base_tools: false })).id
  })

  test('stores passages in an archive that the first one creates', async () => {
    const { alice } = server
    expect(await alice.agents.passages.list(agent_id)).toEqual([])
    const [made, ...rest] = await alice.agents.passages.create(agent_id, {
      text: 'Likes tea.',
      tags: ['drinks'],
      created_at: '2024-03-01T10:00:00Z',
    })
    expect(rest).toEqual([])
    expect(made).toMatchObject({
      id: expect.stringMatching(PASSAGE),
      text: 'Likes tea.',
      tags: ['drinks'],
      metadata: {},
      created_at: '2024-03-01T10:00:00.000Z',
      embedding_config: DEFAULT_EMBEDDING,
    })
    const archives = (await alice.archives.list({ agent_id })).items
    expect(archives).toMatchObject([{ id: made!.archive_id, name: "Ada's Archive" }])
    expect(await alice.agents.passages.list(agent_id)).toEqual([made])
  })

  test('is listed in pages, in both directions and orders', async () => {
    const { passages } = server.alice.agents
    const made: string[] = []
    for (let n = 0; n < 5; n++) made.push((await passages.create(agent_id, { text: `Tea ${n}` }))[0]!.id!)
    const list = async (query: Letta.Agents.PassageListParams) => ids(await passages.list(agent_id, query))
    expect(await list({ limit: 2 })).toEqual(made.slice(0, 2))
    expect(await list({ limit: 2, after: made[1]! })).toEqual(made.slice(2, 4))
    expect(await list({ limit: 2, before: made[4]!, after: null })).toEqual(made.slice(2, 4))
    expect(await list({ limit: 2, ascending: false, after: made[3]! })).toEqual([made[2], made[1]])
    expect(await list({ limit: 2, ascending: false, before: made[0]! })).toEqual([made[2], made[1]])
    expect(await list({ limit: null, ascending: null, search: 'TEA 3' })).toEqual([made[3]])
    for (const memory of await passages.list(agent_id, { limit: 2 })) await passages.delete(memory.id!, { agent_id })
    expect(await list({ after: made[1]! })).toEqual(made.slice(2))
  })

  test('is searched', async () => {
    const { passages } = server.alice.agents
    await passages.create(agent_id, {
      text: 'Likes green tea.',
      tags: ['drinks', 'a,b'],
      created_at: '2024-03-01T10:00:00Z',
    })
    const [coffee] = await passages.create(agent_id, { text: 'Hates coffee.', tags: ['drinks'] })
    expect(await passages.search(agent_id, { query: 'coffee', top_k: 1 })).toEqual({
      count: 1,
      results: [{ id: coffee!.id, content: 'Hates coffee.', tags: ['drinks'], timestamp: expect.any(String) }],
    })
    const { results } = await passages.search(agent_id, { query: 'coffee' })
    expect(new Date(results[0]!.timestamp).toISOString()).toBe(coffee!.created_at)
    const find = async (query: Omit<Letta.Agents.PassageSearchParams, 'query'>) =>
      (await passages.search(agent_id, { query: 'drinks tea coffee', ...query })).results.map(({ content }) => content)
    expect(await find({ tags: ['a,b'] })).toEqual(['Likes green tea.'])
    expect(await find({ tags: ['drinks', 'a,b'], tag_match_mode: 'all' })).toEqual(['Likes green tea.'])
    expect(await find({ tags: ['drinks', 'a,b'], tag_match_mode: 'any' })).toHaveLength(2)
    expect(await find({ end_datetime: '2024-03-01', tags: null, top_k: null })).toEqual(['Likes green tea.'])
    expect(await find({ start_datetime: '2024-03-02T00:00:00Z' })).toEqual(['Hates coffee.'])
    await refused(passages.search(agent_id, { query: 'x', top_k: 101 }), Letta.UnprocessableEntityError, 'top_k')
  })

  test('no longer has deleted passages', async () => {
    const { passages } = server.alice.agents
    const [made] = await passages.create(agent_id, { text: 'Gone' })
    expect(await passages.delete(made!.id!, { agent_id })).toEqual({
      message: `Memory id=${made!.id} successfully deleted`,
    })
    await refused(passages.delete(made!.id!, { agent_id }), Letta.NotFoundError, made!.id!)
    expect(await passages.list(agent_id)).toEqual([])
  })

  test('of another organization’s agent is a 404', async () => {
    const [made] = await server.alice.agents.passages.create(agent_id, { text: 'Likes tea.' })
    const { passages } = server.bob.agents
    await refused(passages.list(agent_id), Letta.NotFoundError, agent_id)
    await refused(passages.create(agent_id, { text: 'x' }), Letta.NotFoundError, agent_id)
    await refused(passages.search(agent_id, { query: 'tea' }), Letta.NotFoundError, agent_id)
    await refused(passages.delete(made!.id!, { agent_id }), Letta.NotFoundError, agent_id)
    await refused(server.bob.passages.search({ agent_id, query: 'tea' }), Letta.NotFoundError, agent_id)
    const own = (await server.bob.agents.create({ name: 'His' })).id
    await refused(passages.delete(made!.id!, { agent_id: own }), Letta.NotFoundError, made!.id!)
    expect(ids(await server.alice.agents.passages.list(agent_id))).toEqual([made!.id])
  })
})

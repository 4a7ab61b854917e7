import { beforeAll, expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'
import { insertPassages } from './insert.ts'

const server = useTestServer()
let archive_id: string

/** A word of letters for each number. */
const word = (n: number) => `w${n.toString(26).replace(/\d/g, (digit) => 'klmnopqrst'[Number(digit)]!)}`
const words = Array.from({ length: 150 }, (_, n) => word(n))

/** Texts of 90,000 characters that have every word many times, in an order of their own. */
const longTexts = Array.from({ length: 20 }, (_, n) =>
  Array.from({ length: 20_000 }, (_, at) => words[(at * (2 * n + 1) + (at >> 5)) % words.length]).join(' '),
)

const search = (body: object) => server.alice.post('/v1/passages/search', { search_mode: 'fts', archive_id, ...body })

beforeAll(async () => {
  archive_id = (await server.alice.post('/v1/archives/', { name: 'Long' })).body.id
  await server.alice.patch(`/v1/archives/${archive_id}`, { embedding: null })
  const list = [...longTexts, 'One short text of the kettle.'].map((text) => ({ text: text.slice(0, 90_000) }))
  await insertPassages(server.scopeOf(server.organizations.alice), { archive_id }, list)
})

test('a search takes sixteen words in quotes; more are a 422', async () => {
  const quoted = (count: number) => `"${words.slice(0, count).join(' ')}"`
  expect((await search({ query: quoted(16) })).status).toBe(200)
  for (const query of [
    quoted(17),
    quoted(150),
    quoted(150).slice(0, -1),
    '"a b" '.repeat(9),
    `"${'a-b.c/'.repeat(6)}"`,
  ]) {
    const { status, body } = await search({ query })
    expect([status, body.errors]).toEqual([
      422,
      [{ in: 'body', field: 'query', message: 'must have at most 16 words in quotes' }],
    ])
  }
  // By vectors alone, quotes are like any other character.
  await server.alice.post('/v1/archives/', { name: 'With a model' })
  const { status } = await server.alice.post('/v1/passages/search', { query: quoted(150), search_mode: 'vector' })
  expect(status).toBe(200)
})

test('a search by very many words uses the first sixteen', async () => {
  const found = (await search({ query: words.join(' '), limit: 100 })).body
  expect(found).toHaveLength(20)
  const first = words.slice(0, 16).join(' or ')
  const ranked = (await search({ query: first, limit: 100 })).body
  const idsOf = (hits: typeof found) => hits.map(({ passage }: { passage: { id: string } }) => passage.id).sort()
  expect(idsOf(found)).toEqual(idsOf(ranked))
  expect((await search({ query: `${words.join(' ').slice(0, 60)} ${'zzz '.repeat(100)} kettle` })).body).toHaveLength(
    20,
  )
})

test('the searches of one organization take turns, and others are served between them', async () => {
  let done = 0
  const costly = Array.from({ length: 8 }, () =>
    search({ query: words.slice(0, 16).join(' ') }).then(({ status }) => {
      expect(status).toBe(200)
      done++
    }),
  )
  await Promise.race(costly)
  expect((await server.bob.get('/v1/agents/')).status).toBe(200)
  expect(done).toBeLessThan(8)
  await Promise.all(costly)
})

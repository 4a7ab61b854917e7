import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { countStatements } from '../../../test/count-statements.ts'
import { createScriptedEmbedders, type ScriptedEmbedders, scriptedModel } from '../../../test/embedders.ts'
import { rowsOf } from '../../../test/rows.ts'
import { type Client, startTestServer, type TestServer } from '../../../test/server.ts'
import { cut, idsOf, pagesFrom } from '../../../test/walk.ts'
import { lexicalVector } from '../../embed/lexical.ts'
import { ApiError } from '../../lib/errors.ts'

let server: TestServer
let embedders: ScriptedEmbedders
beforeAll(async () => {
  embedders = createScriptedEmbedders()
  server = await startTestServer({}, { embedders })
})
afterAll(() => server.close())
beforeEach(() => {
  embedders.before = async () => {}
  embedders.unavailable.clear()
})

/** A new archive, and where its passages are. */
async function newArchive(client: Client = server.alice, body: object = {}) {
  const { id } = (await client.post('/v1/archives/', { name: 'Notes', ...body })).body
  return { id, url: `/v1/archives/${id}/passages`, archive: `/v1/archives/${id}` }
}

/** An archive without a model. */
async function plainArchive() {
  const made = await newArchive()
  await server.alice.patch(made.archive, { embedding_config: null })
  return made
}

const textsOf = (passages: { text: string }[]) => passages.map(({ text }) => text)
const WITH = 'include=passage.embedding'

describe('a passage', () => {
  test('is retrieved, listed and deleted as it was created', async () => {
    const { alice, organizations } = server
    const { id, url } = await newArchive()
    const body = {
      text: 'The kettle is red.',
      metadata: { source: null, page: 3 },
      tags: ['b', 'a', 'b'],
      created_at: '2001-02-03T04:05:06.789+01:00',
    }
    const made = await alice.post(url, body)
    expect(made.status).toBe(200)
    expect(made.body).toMatchObject({
      text: body.text,
      metadata: body.metadata,
      tags: ['b', 'a'],
      archive_id: id,
      organization_id: organizations.alice,
      created_at: '2001-02-03T03:05:06.789Z',
      embedding_config: { handle: 'cairn/lexical', embedding_dim: 512 },
    })
    expect(made.body).not.toHaveProperty('embedding')
    const one = `${url}/${made.body.id}`
    expect((await alice.get(one)).body).toEqual(made.body)
    expect((await alice.get(url)).body).toEqual([made.body])
    const { etag } = (await alice.get(one)).headers
    expect((await alice.delete(one, { 'if-match': '"7"' })).status).toBe(412)
    const gone = await alice.delete(one, { 'if-match': etag! })
    expect([gone.status, gone.body]).toEqual([204, ''])
    expect((await alice.get(one)).status).toBe(404)
    expect((await alice.delete(one)).status).toBe(404)
    expect((await alice.get(url)).body).toEqual([])
  })

  test('gets other tags and metadata, keeps its text, and is found by the new tags alone', async () => {
    const { alice, bob } = server
    const { url } = await newArchive()
    const other = await newArchive()
    const made = (await alice.post(url, { text: 'The kettle is red.', tags: ['old'], metadata: { page: 3 } })).body
    const one = `${url}/${made.id}`
    const { etag } = (await alice.get(one)).headers
    const changed = await alice.patch(one, { tags: ['b', 'a', 'b'] }, { 'if-match': etag! })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({ ...made, tags: ['b', 'a'], updated_at: expect.any(String) })
    expect((await alice.get(`${url}?tags=a`)).body).toEqual([changed.body])
    expect((await alice.get(`${url}?tags=old`)).body).toEqual([])
    expect((await alice.patch(one, { metadata: { page: 4 } })).body).toMatchObject({
      tags: ['b', 'a'],
      metadata: { page: 4 },
    })
    expect((await alice.patch(one, { tags: null, metadata: null })).body).toMatchObject({ tags: [], metadata: {} })
    expect((await alice.patch(one, { tags: ['late'] }, { 'if-match': etag! })).status).toBe(412)
    expect((await alice.patch(one, { text: 'The kettle is blue.' })).status).toBe(422)
    expect((await alice.patch(`${other.url}/${made.id}`, { tags: ['x'] })).status).toBe(404)
    expect((await bob.patch(one, { tags: ['x'] })).status).toBe(404)
    expect((await alice.get(one)).body).toMatchObject({ text: made.text, tags: [], metadata: {} })
  })

  test('shows its vector when it is asked for, and only then', async () => {
    const { alice } = server
    const { url } = await newArchive()
    const vector = lexicalVector('Blue teapots')
    const made = (await alice.post(`${url}?${WITH}`, { text: 'Blue teapots' })).body
    const batch = (await alice.post(`${url}/batch?${WITH}`, { passages: [{ text: 'Blue teapots' }, { text: 'x' }] }))
      .body
    const listed = (await alice.get(`${url}?${WITH}`)).body
    const retrieved = (await alice.get(`${url}/${made.id}?${WITH}`)).body
    expect(listed).toEqual([made, ...batch])
    expect(retrieved).toEqual(made)
    for (const { embedding } of [made, batch[0]]) {
      expect(embedding).toHaveLength(512)
      for (const [at, value] of embedding.entries()) expect(value).toBeCloseTo(vector[at]!, 6)
    }
    for (const path of [url, `${url}/${made.id}`])
      expect(JSON.stringify((await alice.get(path)).body)).not.toContain('"embedding":')
    expect((await alice.get(`${url}?include=passage.vector`)).status).toBe(422)
  })

  test('of another organization or another archive is one that does not exist', async () => {
    const { alice, bob } = server
    const [one, other] = [await newArchive(), await newArchive()]
    const his = await newArchive(bob)
    const { id } = (await alice.post(one.url, { text: 'Hers' })).body
    for (const [client, url] of [
      [alice, other.url],
      [bob, one.url],
      [bob, his.url],
    ] as const) {
      expect((await client.get(`${url}/${id}`)).status).toBe(404)
      expect((await client.delete(`${url}/${id}`)).status).toBe(404)
    }
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['POST', '', { text: 'His' }],
      ['POST', '/batch', { passages: [{ text: 'His' }] }],
      ['POST', '/batch', { passages: [] }],
    ] as const) {
      expect((await bob.call(method, one.url + path, body)).status).toBe(404)
    }
    expect(textsOf((await alice.get(one.url)).body)).toEqual(['Hers'])
  })

  test.each([
    [{}, 'text'],
    [{ text: '' }, 'text'],
    [{ text: ' \n\t\u3000' }, 'text'],
    [{ text: 'x'.repeat(100_001) }, 'text'],
    [{ text: 7 }, 'text'],
    [{ text: 'a', tags: ['a', ''] }, 'tags[1]'],
    [{ text: 'a', tags: ['x'.repeat(501)] }, 'tags[0]'],
    [{ text: 'a', created_at: '2020-01-01T00:00:00' }, 'created_at'],
    [{ text: 'a', created_at: '1970-01-01T00:00:00+01:00' }, 'created_at'],
    [{ text: 'a', created_at: '9999-12-31T23:59:59-01:00' }, 'created_at'],
    [{ text: 'a', created_at: 'yesterday' }, 'created_at'],
    [{ text: 'a', nothing: 1 }, 'nothing'],
  ])('that cannot be is refused by field: %#', async (body, field) => {
    const { url } = await newArchive()
    const reply = await server.alice.post(url, body)
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, field])
    const batch = await server.alice.post(`${url}/batch`, { passages: [{ text: 'good' }, body] })
    expect([batch.status, batch.body.errors?.[0]?.field]).toEqual([422, `passages[1].${field}`])
    expect((await server.alice.get(url)).body).toEqual([])
  })

  test('may be as old and as long as the API says', async () => {
    const { url } = await newArchive()
    const at = (created_at: string) => server.alice.post(url, { text: '🫖'.repeat(100_000), created_at })
    expect((await at('1970-01-01T00:00:00Z')).body.created_at).toBe('1970-01-01T00:00:00.000Z')
    expect((await at('9999-12-31T23:59:59.999Z')).body.created_at).toBe('9999-12-31T23:59:59.999Z')
  })
})

describe('a batch', () => {
  test('of 10,000 is made in its order, by one request, and listed in it', async () => {
    const { alice } = server
    const { url } = await plainArchive()
    const passages = Array.from({ length: 10_000 }, (_, n) => ({ text: `p${n}`, tags: [`t${n % 7}`] }))
    const made = await alice.post(`${url}/batch`, { passages })
    expect(made.status).toBe(200)
    expect(textsOf(made.body)).toEqual(textsOf(passages))
    const listed = await alice.get(`${url}?limit=200&after=${made.body[4999].id}`)
    expect(listed.body).toEqual(made.body.slice(5000, 5200))
    const { rows } = await sql<{ count: number }>`select count(*) as count from revisions
      where kind = 'passage' and resource_id = any(${idsOf(made.body)}::text[]) and operation = 'create'
        and not resource::jsonb ? 'search_vector'`.execute(server.database.kysely)
    expect(rows[0]!.count).toBe(10_000)
    expect((await alice.post(`${url}/batch`, { passages: [...passages, { text: 'one more' }] })).status).toBe(422)
  })

  test('keeps its order where all passages are of one instant, page by page, in both directions', async () => {
    const { alice } = server
    const { url } = await newArchive()
    const created_at = '2020-05-05T05:05:05.555Z'
    const passages = Array.from({ length: 60 }, (_, n) => ({ text: `p${n}`, created_at }))
    const made = idsOf((await alice.post(`${url}/batch`, { passages })).body)
    expect(await pagesFrom(alice, `${url}?limit=7`)).toEqual(cut(made, 7))
    expect(await pagesFrom(alice, `${url}?limit=7&order=desc`)).toEqual(cut(made.toReversed(), 7))
  })

  test('of none makes none', async () => {
    const { url } = await newArchive()
    const { status, body } = await server.alice.post(`${url}/batch`, { passages: [] })
    expect([status, body]).toEqual([200, []])
  })

  test('is made wholly or not at all, and not without its vectors', async () => {
    const { alice, organizations, database } = server
    const { url } = await newArchive(alice, { embedding_config: scriptedModel('weak') })
    const passages = Array.from({ length: 100 }, (_, n) => ({ text: `p${n}` }))
    const before = await rowsOf(database, organizations.alice)
    embedders.before = async (_, texts) => {
      if (texts.includes('p70')) throw new ApiError('bad_gateway', 'The model does not answer.')
    }
    const failed = await alice.post(`${url}/batch`, { passages })
    expect([failed.status, failed.body.detail]).toEqual([502, 'The model does not answer.'])
    embedders.unavailable.add('weak')
    expect((await alice.post(url, { text: 'a' })).status).toBe(422)
    expect(await rowsOf(database, organizations.alice)).toEqual(before)
    embedders.unavailable.clear()
    embedders.before = async () => {}
    const made = await alice.post(`${url}/batch?${WITH}`, { passages })
    expect(made.body.map(({ embedding }: { embedding: number[] }) => embedding.length)).toEqual(passages.map(() => 256))
    expect(Math.max(...embedders.calls.weak!.map(({ length }) => length))).toBe(32)
  })

  test('with vectors that are not what the archive says is refused', async () => {
    const { url } = await newArchive(server.alice, { embedding_config: scriptedModel('wide', { embedding_dim: 300 }) })
    const reply = await server.alice.post(url, { text: 'a' })
    expect([reply.status, reply.body.errors[0].field]).toEqual([422, 'embedding_config.embedding_dim'])
    expect((await server.alice.get(url)).body).toEqual([])
  })

  test('may be larger than other bodies; its list of faults may not', async () => {
    const { alice } = server
    const { url } = await plainArchive()
    const text = 'x'.repeat(90_000)
    const large = Array.from({ length: 20 }, () => ({ text }))
    expect((await alice.post(`${url}/batch`, { passages: large })).status).toBe(200)
    const wrong = await alice.post(`${url}/batch`, { passages: Array.from({ length: 1_000_000 }, () => 0) })
    expect([wrong.status, wrong.body.errors.length]).toEqual([422, 1])
    const few = await alice.post(`${url}/batch`, { passages: [0, {}, { text: '' }] })
    expect([few.status, few.body.errors.length]).toEqual([422, 3])
    expect((await alice.post(url, { text: 'a', metadata: { text: 'x'.repeat(1024 * 1024) } })).status).toBe(413)
  })
})

describe('a request that is sent again', () => {
  test('is answered as before and makes its passages once, also when the model does not answer any more', async () => {
    const { alice } = server
    const { url } = await newArchive(alice, { embedding_config: scriptedModel('again') })
    const headers = { 'idempotency-key': randomUUID() }
    const body = { passages: [{ text: 'a' }, { text: 'b' }] }
    const made = await alice.post(`${url}/batch`, body, headers)
    embedders.before = async () => {
      throw new ApiError('bad_gateway', 'The model does not answer.')
    }
    const again = await alice.post(`${url}/batch`, body, headers)
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([200, made.body, 'true'])
    expect((await alice.get(url)).body).toEqual(made.body)
  })
})

describe('the list of passages', () => {
  test('is of one archive, by part of the text and by tags, filters combining', async () => {
    const { alice } = server
    const [one, other] = [await newArchive(), await newArchive()]
    const passages = [
      { text: 'Red 50%_off', tags: ['x', 'y'] },
      { text: 'red', tags: ['x'] },
      { text: 'blue', tags: ['y'] },
      { text: 'green' },
    ]
    await alice.post(`${one.url}/batch`, { passages })
    await alice.post(other.url, { text: 'red elsewhere', tags: ['x'] })
    const texts = async (query: string) => textsOf((await alice.get(`${one.url}?${query}`)).body)
    expect(await texts('')).toEqual(textsOf(passages))
    expect(await texts('order=desc&limit=2')).toEqual(['green', 'blue'])
    expect(await texts('search=RED')).toEqual(['Red 50%_off', 'red'])
    expect(await texts(`search=${encodeURIComponent('%_')}`)).toEqual(['Red 50%_off'])
    expect(await texts('search=_')).toEqual(['Red 50%_off'])
    expect(await texts('tags=x&tags=y')).toEqual(['Red 50%_off', 'red', 'blue'])
    expect(await texts('tags=x&tags=y&tag_match_mode=all')).toEqual(['Red 50%_off'])
    expect(await texts('tags=x&search=red&limit=1&order=desc')).toEqual(['red'])
    expect(await texts('tags=nobody')).toEqual([])
  })

  test('shows every passage once while a walker deletes what it has just seen, and others insert', async () => {
    const { alice } = server
    const { url } = await newArchive()
    const made = await alice.post(`${url}/batch`, {
      passages: Array.from({ length: 40 }, (_, n) => ({ text: `p${n}` })),
    })
    const pages = await pagesFrom(alice, `${url}?limit=6`, async (shown) => {
      for (const id of shown) expect((await alice.delete(`${url}/${id}`)).status).toBe(204)
      await alice.post(url, { text: 'earlier', created_at: '2020-01-01T00:00:00Z' })
    })
    expect(pages.flat()).toEqual(idsOf(made.body))
  })

  test('are there at once however many, on an embedded database with vectors to follow', async () => {
    const { alice } = server
    const { url, id, archive } = await newArchive()
    const many = { passages: Array.from({ length: 201 }, (_, n) => ({ text: `kettle ${n}` })) }
    const made = await alice.post(`${url}/batch`, many)
    expect([made.status, made.body.length]).toEqual([200, 201])
    const state = async () => (await alice.get(`${archive}/embedding`)).body
    const later = server.database.engine === 'embedded'
    expect(await state()).toMatchObject(
      later ? { status: 'embedding', total: 201, embedded: 0 } : { status: 'ready', total: 201, embedded: 201 },
    )
    const find = (query: string, search_mode: string) =>
      alice.post('/v1/passages/search', { query, archive_id: id, search_mode, limit: 1 })
    expect(textsOf([(await find('200', 'fts')).body[0].passage])).toEqual(['kettle 200'])
    await server.settle()
    expect(await state()).toMatchObject({ status: 'ready', total: 201, embedded: 201 })
    expect(textsOf([(await find('kettle 77', 'vector')).body[0].passage])).toEqual(['kettle 77'])
    const shown = await alice.post(`${url}/batch?${WITH}`, many)
    expect(shown.body.every(({ embedding }: { embedding: number[] }) => embedding.length === 512)).toBe(true)
    expect(await state()).toMatchObject({ status: 'ready', total: 402 })

    const other = await newArchive(alice, { embedding_config: scriptedModel('gone') })
    embedders.unavailable.add('gone')
    expect((await alice.post(`${other.url}/batch`, many)).status).toBe(422)
    expect((await alice.get(other.url)).body).toEqual([])
  })

  test('loses nothing when fifty callers create at once', async () => {
    const { alice } = server
    const { url } = await newArchive()
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        alice.post(`${url}/batch`, { passages: [{ text: `${n}a` }, { text: `${n}b` }] }),
      ),
    )
    const ids = made.flatMap(({ body }) => idsOf(body))
    expect(new Set(idsOf((await alice.get(`${url}?limit=200`)).body))).toEqual(new Set(ids))
    expect(ids).toHaveLength(100)
  })
})

test('many vectors are stored by several statements: others read an embedded database between them', async () => {
  const { url } = await newArchive()
  const statementsFor = async (count: number) => {
    const passages = Array.from({ length: count }, (_, n) => ({ text: `kettle ${n}` }))
    const { result, statements } = await countStatements(() => server.alice.post(`${url}/batch?${WITH}`, { passages }))
    expect([result.status, result.body.length]).toEqual([200, count])
    return statements
  }
  expect((await statementsFor(64)) - (await statementsFor(32))).toBe(2)
})

import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { StandIn } from '../../test/stand-ins/loopback.ts'
import { pineconeStandIn } from '../../test/stand-ins/pinecone.ts'
import { turbopufferStandIn } from '../../test/stand-ins/turbopuffer.ts'
import { ApiError } from '../lib/errors.ts'
import { pinecone } from './pinecone.ts'
import { turbopuffer } from './turbopuffer.ts'
import type { StoreEntry, VectorStore } from './vector-store.ts'

const KEY = 'the-store-key'

const STORES = {
  turbopuffer: {
    open: turbopuffer as (settings: { apiKey: string; url: string }) => VectorStore,
    standIn: () => turbopufferStandIn(KEY),
    keyName: 'TURBOPUFFER_API_KEY',
  },
  Pinecone: {
    open: pinecone as (settings: { apiKey: string; url: string }) => VectorStore,
    standIn: () => pineconeStandIn(KEY, 3),
    keyName: 'PINECONE_API_KEY',
  },
}

const entry = (id: string, vector: number[], rest: Partial<StoreEntry> = {}): StoreEntry => ({
  id,
  vector,
  text: `text of ${id}`,
  tags: [],
  created_at: new Date('2026-01-01T00:00:00Z'),
  ...rest,
})

/** What a call fails with. */
const faultOf = (call: Promise<unknown>): Promise<ApiError> =>
  call.then(
    () => expect.fail('it should have failed'),
    (error) => error,
  )

describe.each(Object.entries(STORES))('%s', (title, { open, standIn, keyName }) => {
  let there: StandIn & { namespaces: Map<string, Map<string, unknown>> }
  let store: VectorStore
  beforeAll(async () => {
    there = await standIn()
    store = open({ apiKey: KEY, url: there.url })
  })
  afterEach(() => {
    there.requests.length = 0
  })
  afterAll(() => there.close())

  test('what is written is found by its vector, the nearest first, with its cosine', async () => {
    await store.write('near', [entry('a', [1, 0, 0]), entry('b', [1, 1, 0]), entry('c', [0, 0, 1])])
    const { vector } = await store.search('near', { vector: [1, 0, 0], limit: 2 })
    expect(vector!.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(vector![0]!.score).toBeCloseTo(1)
    expect(vector![1]!.score).toBeCloseTo(Math.SQRT1_2)
  })

  test('writing the same again replaces it, and what is removed or dropped is not found', async () => {
    await store.write('again', [entry('a', [1, 0, 0]), entry('b', [0, 1, 0])])
    await store.write('again', [entry('a', [0, 0, 1])])
    const found = async () => (await store.search('again', { vector: [0, 0, 1], limit: 9 })).vector!.map(({ id }) => id)
    expect(await found()).toEqual(['a', 'b'])
    await store.remove('again', ['a'])
    expect(await found()).toEqual(['b'])
    await store.drop('again')
    expect(await found()).toEqual([])
    expect(there.namespaces.has('again')).toBe(false)
  })

  test('a namespace that is not there gives nothing, and can be removed from and dropped', async () => {
    expect(await store.search('nowhere', { vector: [1, 0, 0], limit: 5 })).toEqual({ vector: [] })
    await store.remove('nowhere', ['a'])
    await store.drop('nowhere')
  })

  test('one namespace does not see into another', async () => {
    await store.write('hers', [entry('a', [1, 0, 0])])
    await store.write('his', [entry('b', [1, 0, 0])])
    expect((await store.search('his', { vector: [1, 0, 0], limit: 5 })).vector!.map(({ id }) => id)).toEqual(['b'])
  })

  test('tags and times are compared before the limit counts', async () => {
    const many = Array.from({ length: 50 }, (_, at) => entry(`near-${at}`, [1, 0, 0]))
    const days = ['2026-01-01', '2026-02-01', '2026-03-01'].map((day) => new Date(`${day}T00:00:00Z`))
    await store.write('filtered', [
      ...many,
      entry('red', [0, 1, 0], { tags: ['red'], created_at: days[0]! }),
      entry('both', [0, 1, 1], { tags: ['red', 'round'], created_at: days[1]! }),
      entry('round', [0, 0, 1], { tags: ['round'], created_at: days[2]! }),
    ])
    const found = async (query: object) => {
      const { vector } = await store.search('filtered', { vector: [1, 0, 0], limit: 3, ...query })
      return vector!.map(({ id }) => id).sort()
    }
    expect(await found({ tags: ['red'], match: 'any' })).toEqual(['both', 'red'])
    expect(await found({ tags: ['red', 'round'], match: 'any' })).toEqual(['both', 'red', 'round'])
    expect(await found({ tags: ['red', 'round'], match: 'all' })).toEqual(['both'])
    expect(await found({ tags: ['red', 'green'], match: 'all' })).toEqual([])
    expect(await found({ from: days[1] })).toEqual(['both', 'round'])
    expect(await found({ tags: ['round'], before: days[2] })).toEqual(['both'])
  })

  test('three thousand vectors go in several requests, each within what the store takes', async () => {
    const long = { tags: Array.from({ length: 20 }, (_, at) => `${'t'.repeat(80)}${at}`) }
    await store.write(
      'large',
      Array.from({ length: 3000 }, (_, at) => entry(`p-${at}`, [1, at, 0.123456789], long)),
    )
    expect(there.namespaces.get('large')!.size).toBe(3000)
    expect(there.requests.length).toBeGreaterThan(1)
    await store.remove(
      'large',
      Array.from({ length: 2999 }, (_, at) => `p-${at}`),
    )
    expect([...there.namespaces.get('large')!.keys()]).toEqual(['p-2999'])
  })

  test('a store that is busy, breaks or cuts the connection once is asked again', async () => {
    for (const failure of [429, 500, 'cut'] as const) {
      there.fail(failure)
      await store.write('patience', [entry(`after-${failure}`, [1, 0, 0])])
    }
    expect([...there.namespaces.get('patience')!.keys()]).toEqual(['after-429', 'after-500', 'after-cut'])
  })

  test('a store that goes on failing is a 502 that says so', async () => {
    there.fail(500, 500, 500, 500)
    const broken = await faultOf(store.search('x', { vector: [1, 0, 0], limit: 1 }))
    expect(broken).toBeInstanceOf(ApiError)
    expect(broken.status).toBe(502)
    expect(broken.message).toBe(`${title} does not answer at the moment (500). Try again later.`)
    there.fail(429, 429, 429, 429)
    const busy = await faultOf(store.search('x', { vector: [1, 0, 0], limit: 1 }))
    expect(busy.message).toBe(`${title} is asked too often at the moment. Try again later.`)
  })

  test('a store out of reach is a 502 that says so', async () => {
    const gone = await standIn()
    await gone.close()
    const error = await faultOf(open({ apiKey: KEY, url: gone.url }).drop('x'))
    expect(error.status).toBe(502)
    expect(error.message).toBe(`${title} does not answer at the moment. Try again later.`)
  })

  test('what the store refuses is told in its words', async () => {
    await store.write('words', [entry('a', [1, 0, 0])])
    const error = await faultOf(store.write('words', [entry('b', [1, 0])]))
    expect(error.status).toBe(502)
    expect(error.message).toMatch(/refuses what it was sent \(400\): .*dimension/)
    expect(there.requests.length).toBe(2)
  })

  test('a wrong key is a 502 that names the setting, and the key is in nothing that is told or logged', async () => {
    const key = 'a-wrong-key-of-ours'
    const error = await faultOf(open({ apiKey: key, url: there.url }).write('x', [entry('a', [1, 0, 0])]))
    expect(error.status).toBe(502)
    expect(error.message).toContain(keyName)
    expect(inspect(error, { depth: null })).not.toContain(key)
    expect(there.requests.length).toBe(1)
  })

  test('who gives up gets no answer, and nothing is asked again', async () => {
    const gaveUp = new AbortController()
    gaveUp.abort(new Error('enough'))
    await expect(store.search('x', { vector: [1, 0, 0], limit: 1 }, gaveUp.signal)).rejects.toThrow('enough')
    expect(there.requests).toEqual([])
  })
})

describe('turbopuffer', () => {
  test('searches texts by words, with the same filters, beside the vectors', async () => {
    const there = await turbopufferStandIn(KEY)
    const store = turbopuffer({ apiKey: KEY, url: there.url })
    await store.write('texts', [
      entry('a', [1, 0, 0], { text: 'The cat sat on the mat' }),
      entry('b', [0, 1, 0], { text: 'A cat, another cat and a third cat', tags: ['many'] }),
      entry('c', [0, 0, 1], { text: 'Dogs' }),
    ])
    const both = await store.search('texts', { vector: [0, 0, 1], text: 'cat', limit: 5 })
    expect(both.vector![0]!.id).toBe('c')
    expect(both.text!.map(({ id }) => id)).toEqual(['b', 'a'])
    expect(both.text![0]!.score).toBeGreaterThan(both.text![1]!.score)
    expect(await store.search('texts', { text: 'cat', tags: ['many'], limit: 5 })).toEqual({
      text: [expect.objectContaining({ id: 'b' })],
    })
    await there.close()
  })
})

describe('Pinecone', () => {
  test('gets no text, and says how many numbers a vector of its index has', async () => {
    const there = await pineconeStandIn(KEY, 3)
    const store = pinecone({ apiKey: KEY, url: there.url })
    await store.write('private', [entry('a', [1, 0, 0], { text: 'Between us' })])
    expect(JSON.stringify(there.requests)).not.toContain('Between us')
    expect(await store.search('private', { text: 'us', limit: 5 })).toEqual({})
    expect(await store.dimension!()).toBe(3)
    await there.close()
  })
})

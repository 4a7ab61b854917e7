import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, startTestServer, type TestServer } from '../../../test/server.ts'
import type { StandIn } from '../../../test/stand-ins/loopback.ts'
import { pineconeStandIn } from '../../../test/stand-ins/pinecone.ts'
import { turbopufferStandIn } from '../../../test/stand-ins/turbopuffer.ts'
import { lexicalVector } from '../../embed/lexical.ts'
import { createVectorStores, type VectorStores } from '../../embed/stores.ts'
import type { VectorStore } from '../../embed/vector-store.ts'
import { syncContainer } from '../../jobs/sync-container.ts'
import { modelKey } from '../models/embedding.ts'
import { DEFAULT_EMBEDDING } from '../models/handles.ts'
import { enqueueSync } from './enqueue-sync.ts'
import { searchStore, storeOf } from './hosted.ts'
import { insertPassages } from './insert.ts'
import type { Passage } from './schema.ts'
import { syncStore } from './sync-store.ts'
import { insertVectors } from './vectors.ts'

const KEY = 'the-store-key'
const MODEL = modelKey(DEFAULT_EMBEDDING)
const PROVIDERS = ['tpuf', 'pinecone'] as const

let server: TestServer
let stores: VectorStores
let standIns: Record<(typeof PROVIDERS)[number], StandIn & { namespaces: Map<string, Map<string, unknown>> }>
beforeAll(async () => {
  standIns = { tpuf: await turbopufferStandIn(KEY), pinecone: await pineconeStandIn(KEY, 512) }
  const vectorStores = {
    tpuf: { apiKey: KEY, url: standIns.tpuf.url },
    pinecone: { apiKey: KEY, url: standIns.pinecone.url },
  }
  stores = createVectorStores(vectorStores)
  server = await startTestServer({ vectorStores })
})
afterAll(async () => {
  await server.close()
  await Promise.all(PROVIDERS.map((provider) => standIns[provider].close()))
})

const scopeOf = (client: Client) => server.scopeOf(server.organizations[client === server.bob ? 'bob' : 'alice'])

async function makeArchive(client: Client, vector_db_provider: string): Promise<string> {
  const body = { name: 'Hosted', embedding: 'cairn/lexical', vector_db_provider }
  const { status, body: made } = await client.post('/v1/archives/', body)
  expect(status).toBe(200)
  expect(made.vector_db_provider).toBe(vector_db_provider)
  return made.id
}

/** Adds passages as the routes do: with their vectors, and the work at the store, in one transaction. */
const add = (client: Client, archive_id: string, texts: readonly string[], tags: string[] = []): Promise<Passage[]> =>
  scopeOf(client).transaction(async (scope) => {
    const vectors = { model: MODEL, vectors: texts.map(lexicalVector) }
    const made = await insertPassages(
      scope,
      { archive_id },
      texts.map((text) => ({ text, tags })),
      vectors,
    )
    await enqueueSync(scope, archive_id)
    return made
  })

const remove = (client: Client, archiveId: string, ids: string[], sync = true) =>
  scopeOf(client).transaction(async (scope) => {
    await scope.query(sql`
      delete from passages where organization_id = ${scope.organizationId} and id = any(${ids}::text[])`)
    if (sync) await enqueueSync(scope, archiveId)
  })

async function search(client: Client, archiveId: string, words: string, rest: object = {}) {
  const scope = scopeOf(client)
  const hosted = (await storeOf(scope, stores, archiveId))!
  return searchStore(scope, hosted, { vector: lexicalVector(words), text: words, limit: 3, ...rest })
}

/** What a store holds of an archive. */
const heldOf = (provider: (typeof PROVIDERS)[number], archiveId: string) =>
  [...standIns[provider].namespaces]
    .filter(([name]) => name.includes(archiveId))
    .flatMap(([, space]) => [...space.keys()])

/** What the database still knows of an archive's vectors at a store. */
async function ledger(archiveId: string): Promise<{ changes: number; synced: number }[]> {
  const { rows } = await sql<{ changes: number; synced: number }>`
    select changes, synced from hosted_vectors where container_id = ${archiveId}`.execute(server.database.kysely)
  return rows
}

async function storeError(archiveId: string): Promise<string | null> {
  const { rows } = await sql<{ store_error: string | null }>`
    select store_error from archives where id = ${archiveId}`.execute(server.database.kysely)
  return rows[0]!.store_error
}

describe.each(PROVIDERS)('an archive in %s', (provider) => {
  test('its passages are found there, the nearest first, once they have been brought there', async () => {
    const { alice } = server
    const archive = await makeArchive(alice, provider)
    const [cats, dogs] = await add(alice, archive, ['Cats sleep on warm stones', 'Dogs bark at night'], ['pets'])
    // Until then this database, which has them all, is to be searched.
    expect(await storeOf(scopeOf(alice), stores, archive)).toBeUndefined()
    await server.settle()
    const { vector, text } = await search(alice, archive, 'warm cats')
    expect(vector!.map(({ id }) => id)).toEqual([cats!.id, dogs!.id])
    expect(text?.map(({ id }) => id)).toEqual(provider === 'tpuf' ? [cats!.id] : undefined)
    expect((await search(alice, archive, 'warm cats', { tags: ['wild'] })).vector).toEqual([])
    expect(await ledger(archive)).toEqual([
      { changes: 1, synced: 1 },
      { changes: 1, synced: 1 },
    ])
  })

  test('what is deleted is not found from that moment on, and then gone from the store', async () => {
    const { alice } = server
    const archive = await makeArchive(alice, provider)
    const near = await add(
      alice,
      archive,
      Array.from({ length: 10 }, (_, at) => `Cats number ${at}`),
    )
    const [far] = await add(alice, archive, ['Dogs and one cats'])
    await server.settle()
    const hosted = (await storeOf(scopeOf(alice), stores, archive))!
    await remove(
      alice,
      archive,
      near.map(({ id }) => id),
    )
    expect(heldOf(provider, archive)).toHaveLength(11)
    const { vector } = await searchStore(scopeOf(alice), hosted, { vector: lexicalVector('Cats number'), limit: 3 })
    expect(vector!.map(({ id }) => id)).toEqual([far!.id])
    await server.settle()
    expect(heldOf(provider, archive)).toEqual([far!.id])
    expect(await ledger(archive)).toHaveLength(1)
  })

  test('a passage with other tags is found there by these, and by the former ones no more', async () => {
    const { alice } = server
    const archive = await makeArchive(alice, provider)
    const [cats] = await add(alice, archive, ['Cats sleep on warm stones', 'Dogs bark at night'], ['old'])
    await server.settle()
    const changed = await alice.patch(`/v1/archives/${archive}/passages/${cats!.id}`, { tags: ['new'] })
    expect([changed.status, changed.body.tags]).toEqual([200, ['new']])
    // Until the store has them, this database is searched.
    expect(await storeOf(scopeOf(alice), stores, archive)).toBeUndefined()
    await server.settle()
    const foundBy = async (tags: string[]) =>
      (await search(alice, archive, 'warm cats', { tags })).vector!.map(({ id }) => id === cats!.id)
    expect([await foundBy(['new']), await foundBy(['old'])]).toEqual([[true], [false]])
  })

  test('an archive that is deleted leaves nothing in the store', async () => {
    const { alice } = server
    const archive = await makeArchive(alice, provider)
    await add(alice, archive, ['One', 'Two'])
    await server.settle()
    expect(heldOf(provider, archive)).toHaveLength(2)
    expect((await alice.delete(`/v1/archives/${archive}`)).status).toBe(204)
    await server.settle()
    expect(heldOf(provider, archive)).toEqual([])
    expect([...standIns[provider].namespaces.keys()].filter((name) => name.includes(archive))).toEqual([])
    expect(await ledger(archive)).toEqual([])
  })

  test('an organization that is deleted leaves nothing in the store', async () => {
    const { alice } = server
    const organization = (await alice.post('/v1/admin/orgs/', { name: 'Carol' })).body
    const user = (await alice.post('/v1/admin/users/', { name: 'Carol', organization_id: organization.id })).body
    const scopes = ['read', 'write', 'admin']
    const key = (await alice.post('/v1/api-keys/', { name: 'carol', user_id: user.id, scopes })).body.key
    const archive = await makeArchive(server.client(key), provider)
    const scope = server.scopeOf(organization.id)
    await insertPassages(scope, { archive_id: archive }, [{ text: 'One' }], {
      model: MODEL,
      vectors: [lexicalVector('One')],
    })
    await enqueueSync(scope, archive)
    await server.settle()
    expect(heldOf(provider, archive)).toHaveLength(1)
    expect((await alice.delete(`/v1/admin/orgs/?org_id=${organization.id}`)).status).toBe(200)
    await server.settle()
    expect(heldOf(provider, archive)).toEqual([])
    expect(await ledger(archive)).toEqual([])
  })

  test('a server that dies at any moment of it leaves work that is gone on with', async () => {
    const { alice } = server
    const scope = scopeOf(alice)
    const archive = await makeArchive(alice, provider)
    const store = stores[provider]!
    const dies = async () => {
      throw new Error('killed')
    }
    /** The store, in the hands of a server that dies right before or right after it has done this. */
    const deaths = (['write', 'remove', 'drop'] as const).flatMap((verb) => {
      const after = async (...said: unknown[]) => {
        await (store[verb] as (...said: unknown[]) => Promise<void>)(...said)
        return dies()
      }
      return [dies, after].map((way) => ({ [provider]: { ...store, [verb]: way } }))
    })
    const attempt = (all: VectorStores) => syncStore(scope, all, archive, new AbortController().signal)
    const gone: string[] = []
    const there: string[] = []
    for (const all of deaths) {
      const [stays, goes] = await add(alice, archive, ['Stays', 'Goes'])
      await attempt(all).catch(() => {})
      await remove(alice, archive, [goes!.id])
      await attempt(all).catch(() => {})
      gone.push(goes!.id)
      there.push(stays!.id)
    }
    await server.settle()
    expect(heldOf(provider, archive).sort()).toEqual(there.sort())
    expect(gone).toHaveLength(deaths.length)
    await alice.delete(`/v1/archives/${archive}`)
    for (const all of deaths) await attempt(all).catch(() => {})
    await server.settle()
    expect(heldOf(provider, archive)).toEqual([])
    expect(await ledger(archive)).toEqual([])
  })

  test('what comes and goes while it is brought there is noticed', async () => {
    const { alice } = server
    const scope = scopeOf(alice)
    const archive = await makeArchive(alice, provider)
    const store = stores[provider]!
    const [one] = await add(alice, archive, ['One'])
    let two: Passage | undefined
    const busy: VectorStore = {
      ...store,
      async write(...said) {
        await store.write(...said)
        if (two) return
        ;[two] = await add(alice, archive, ['Two'])
        await remove(alice, archive, [one!.id])
      },
    }
    await syncStore(scope, { [provider]: busy }, archive, new AbortController().signal)
    expect(heldOf(provider, archive)).toEqual([two!.id])
    expect(await ledger(archive)).toEqual([{ changes: 1, synced: 1 }])
  })

  test('a passage with more tags than a store can keep is found by them all the same, and by no others', async () => {
    const { alice } = server
    const archive = await makeArchive(alice, provider)
    const many = Array.from({ length: 1000 }, (_, at) => `${'t'.repeat(100)}${at}`)
    const [heavy] = await add(alice, archive, ['Heavy'], many)
    await add(alice, archive, ['Light'], ['light'])
    await server.settle()
    const found = async (tags: string[], match: string) =>
      (await search(alice, archive, 'Heavy', { tags, match })).vector!.map(({ id }) => id)
    expect(await found(many.slice(998), 'all')).toEqual([heavy!.id])
    expect(await found([many[0]!, 'light'], 'any')).toHaveLength(2)
    expect(await found(['light'], 'any')).not.toContain(heavy!.id)
  })

  test('six hundred passages are brought there in few requests', async () => {
    const { alice } = server
    const archive = await makeArchive(alice, provider)
    await add(
      alice,
      archive,
      Array.from({ length: 600 }, (_, at) => `Passage number ${at}`),
    )
    standIns[provider].requests.length = 0
    await server.settle()
    expect(heldOf(provider, archive)).toHaveLength(600)
    expect(standIns[provider].requests.length).toBeLessThan(15)
  })

  test('while its passages are embedded anew, the old vectors answer; then they go', async () => {
    const { alice } = server
    const scope = scopeOf(alice)
    const archive = await makeArchive(alice, provider)
    const made = await add(alice, archive, ['Cats', 'Dogs'])
    const other = { ...DEFAULT_EMBEDDING, embedding_model: 'other' }
    const set = (serving: object | null) =>
      scope.query(sql`update archives set embedding_config = ${JSON.stringify(other)},
        serving_config = ${serving && JSON.stringify(serving)} where id = ${archive}`)
    await set(DEFAULT_EMBEDDING)
    const ids = made.map(({ id }) => id)
    await insertVectors(scope, archive, ids, { model: modelKey(other), vectors: ['Dogs', 'Cats'].map(lexicalVector) })
    await server.settle()
    expect((await search(alice, archive, 'Cats')).vector![0]!.id).toBe(ids[0])
    await set(null)
    expect((await search(alice, archive, 'Cats')).vector![0]!.id).toBe(ids[1])
    await scope.query(sql`delete from embeddings where container_id = ${archive} and model = ${MODEL}`)
    await enqueueSync(scope, archive)
    await server.settle()
    expect(heldOf(provider, archive).sort()).toEqual([...ids].sort())
  })

  test('why the store could not be brought up to date is kept until it is', async () => {
    const { alice } = server
    const archive = await makeArchive(alice, provider)
    await add(alice, archive, ['One'])
    standIns[provider].fail(403)
    const { handler } = syncContainer(stores)
    const { signal } = new AbortController()
    await expect(handler(scopeOf(alice), { container_id: archive }, signal)).rejects.toThrow('refuses')
    expect(await storeError(archive)).toMatch(/refuses this server's key/)
    await server.settle()
    expect(await storeError(archive)).toBeNull()
    expect(heldOf(provider, archive)).toHaveLength(1)
  })

  test('another organization does not reach it, even by its id', async () => {
    const { alice, bob } = server
    const archive = await makeArchive(alice, provider)
    await add(alice, archive, ['Between us'])
    await server.settle()
    expect(await storeOf(scopeOf(bob), stores, archive)).toBeUndefined()
    const hers = (await storeOf(scopeOf(alice), stores, archive))!
    expect(await searchStore(scopeOf(bob), hers, { vector: lexicalVector('us'), limit: 3 })).toMatchObject({
      vector: [],
    })
    await enqueueSync(scopeOf(bob), archive)
    await server.settle()
    expect(heldOf(provider, archive)).toHaveLength(1)
  })
})

describe('the choice of no store', () => {
  test('an archive that lies here costs a store nothing', async () => {
    const archive = await makeArchive(server.alice, 'native')
    standIns.tpuf.requests.length = 0
    standIns.pinecone.requests.length = 0
    await add(server.alice, archive, ['One'])
    await server.settle()
    expect(await storeOf(scopeOf(server.alice), stores, archive)).toBeUndefined()
    expect([...standIns.tpuf.requests, ...standIns.pinecone.requests]).toEqual([])
    expect(await ledger(archive)).toEqual([])
  })
})

describe.each(PROVIDERS)('the routes of an archive in %s', (provider) => {
  test('bring what they make to the store, and take what they delete from it', async () => {
    const { alice } = server
    const archive = await makeArchive(alice, provider)
    const url = `/v1/archives/${archive}/passages`
    const one = (await alice.post(url, { text: 'Cats' })).body
    await alice.post(`${url}/batch`, { passages: [{ text: 'Dogs' }, { text: 'Birds' }] })
    await server.settle()
    expect(heldOf(provider, archive)).toHaveLength(3)
    expect((await search(alice, archive, 'Cats')).vector![0]!.id).toBe(one.id)
    expect((await alice.delete(`${url}/${one.id}`)).status).toBe(204)
    await server.settle()
    expect(heldOf(provider, archive)).toHaveLength(2)
    expect(heldOf(provider, archive)).not.toContain(one.id)
  })

  test('refuse a model that the store cannot take, and none at all', async () => {
    const url = `/v1/archives/${await makeArchive(server.alice, provider)}`
    expect((await server.alice.patch(url, { embedding: null })).status).toBe(422)
    const other = await server.alice.patch(url, { embedding: 'openai/text-embedding-3-small' })
    expect(other.status).toBe(provider === 'pinecone' ? 422 : 200)
  })
})

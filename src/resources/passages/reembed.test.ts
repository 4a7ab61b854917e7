import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createScriptedEmbedders, type ScriptedEmbedders, scriptedModel } from '../../../test/embedders.ts'
import { startTestServer, type TestServer } from '../../../test/server.ts'
import { idsOf } from '../../../test/walk.ts'
import { ApiError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { refusedWith } from '../../llm/connection.ts'

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
  for (const model of Object.keys(embedders.calls)) delete embedders.calls[model]
})

const unreachable = () => new ApiError('bad_gateway', 'The model does not answer.')

/** An archive with passages, embedded by the built-in model unless `model` is another. */
async function archiveOf(count: number, model?: object | null) {
  const { id } = (await server.alice.post('/v1/archives/', { name: 'Notes' })).body
  const url = `/v1/archives/${id}`
  if (model !== undefined) await server.alice.patch(url, { embedding_config: model })
  const passages = Array.from({ length: count }, (_, n) => ({ text: `p${n}` }))
  const made = (await server.alice.post(`${url}/passages/batch`, { passages })).body
  const state = async () => (await server.alice.get(`${url}/embedding`)).body
  const change = async (name: string, more: object = {}) =>
    expect((await server.alice.patch(url, { embedding_config: scriptedModel(name, more) })).status).toBe(200)
  return { id, url, ids: idsOf(made), state, change }
}

/** How many vectors there are of each model, by what lies in an archive or a folder. */
async function vectorsIn(id: string): Promise<Record<string, number>> {
  const { rows } = await sql<{ model: string; count: number }>`select model, count(*) as count from embeddings
    where container_id = ${id} group by model order by model`.execute(server.database.kysely)
  return Object.fromEntries(rows.map(({ model, count }) => [model, count]))
}

/** How many numbers the vectors have that are shown: of the model that answers. */
async function dimensions(url: string): Promise<(number | undefined)[]> {
  const { body } = await server.alice.get(`${url}/passages?limit=200&include=passage.embedding`)
  return [...new Set(body.map((passage: { embedding?: number[] }) => passage.embedding?.length))] as number[]
}

/** Has something happen once, before the model answers for the first time. */
function once(model: string, happening: () => Promise<unknown>) {
  let happened = false
  embedders.before = async (name) => {
    if (name !== model || happened) return
    happened = true
    await happening()
  }
}

const NATIVE = 'native/lexical/512'
const of = (name: string) => `openai/${name}/256`

describe('changing the model of an archive', () => {
  test('embeds its passages anew in the background, while the old vectors go on answering', async () => {
    const { url, id, state, change } = await archiveOf(70)
    expect(await state()).toMatchObject({ status: 'ready', total: 70, embedded: 70 })
    await change('next')
    expect(await state()).toMatchObject({
      status: 'embedding',
      total: 70,
      embedded: 0,
      embedding_config: { embedding_model: 'next' },
      serving_config: { embedding_model: 'lexical' },
    })
    expect(await dimensions(url)).toEqual([512])
    await server.settle()
    expect(await state()).toMatchObject({ status: 'ready', embedded: 70, serving_config: { embedding_model: 'next' } })
    expect(await dimensions(url)).toEqual([256])
    expect(await vectorsIn(id)).toEqual({ [of('next')]: 70 })
  })

  test('is told to be what was asked for, at once and by one version', async () => {
    const { alice } = server
    const { url, change } = await archiveOf(1)
    await change('told')
    const { body, headers } = await alice.get(url)
    expect([body.embedding_config.embedding_model, headers.etag]).toEqual(['told', '"2"'])
    await server.settle()
    expect((await alice.get(url)).headers.etag).toBe('"2"')
    const stale = await alice.patch(url, { embedding: 'cairn/lexical' }, { 'if-match': '"1"' })
    expect(stale.status).toBe(412)
    expect((await alice.patch(url, { embedding: 'nobody/none' })).status).toBe(422)
    const back = await alice.patch(url, { embedding: 'cairn/lexical', name: 'Back' }, { 'if-match': '"2"' })
    expect(back.body).toMatchObject({ name: 'Back', embedding_config: { handle: 'cairn/lexical' } })
  })

  test('embeds what is made meanwhile too, by the old model at once and by the new one later', async () => {
    const { alice } = server
    const { url, id, change, state } = await archiveOf(5)
    await change('slow')
    const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    once('slow', () => {
      reached.resolve()
      return gate.promise
    })
    const settled = server.settle()
    await reached.promise
    const made = (await alice.post(`${url}/passages?include=passage.embedding`, { text: 'new' })).body
    expect(made.embedding).toHaveLength(512)
    await alice.post(`${url}/passages`, { text: 'older', created_at: '1999-01-01T00:00:00Z' })
    expect(await state()).toMatchObject({ status: 'embedding', total: 7, embedded: 0 })
    gate.resolve()
    await settled
    expect(await vectorsIn(id)).toEqual({ [of('slow')]: 7 })
  })

  test.each([
    [
      'to a third',
      async (url: string) => server.alice.patch(url, { embedding_config: scriptedModel('third') }),
      of('third'),
    ],
    ['back', async (url: string) => server.alice.patch(url, { embedding: 'cairn/lexical' }), NATIVE],
    ['to none', async (url: string) => server.alice.patch(url, { embedding_config: null }), undefined],
  ])('and again %s before it is done leaves the vectors of the last one asked for', async (_, again, left) => {
    const { url, id, change, state } = await archiveOf(70)
    await change('second')
    once('second', () => again(url))
    await server.settle()
    expect(await vectorsIn(id)).toEqual(left ? { [left]: 70 } : {})
    expect((await state()).status).toBe('ready')
    await change('second')
    await again(url)
    await server.settle()
    expect(await vectorsIn(id)).toEqual(left ? { [left]: 70 } : {})
  })

  test('goes on when a passage or the archive is deleted meanwhile', async () => {
    const { alice } = server
    const { url, id, ids, change, state } = await archiveOf(10)
    await change('losing')
    once('losing', () => alice.delete(`${url}/passages/${ids[3]}`))
    await server.settle()
    expect(await vectorsIn(id)).toEqual({ [of('losing')]: 9 })
    expect(await state()).toMatchObject({ status: 'ready', total: 9, embedded: 9 })
    await change('lost')
    once('lost', () => alice.delete(url))
    await server.settle()
    expect(await vectorsIn(id)).toEqual({})
    expect((await alice.get(`${url}/embedding`)).status).toBe(404)
  })

  test('does again what was interrupted, and nothing that was done', async () => {
    const { id, change } = await archiveOf(200)
    await change('flaky')
    let left = 2
    embedders.before = async (_, texts) => {
      if (texts.includes('p150') && left-- > 0) throw unreachable()
    }
    await server.settle()
    expect(await vectorsIn(id)).toEqual({ [of('flaky')]: 200 })
    const asked = embedders.calls.flaky!.flat()
    expect(asked.filter((text) => text === 'p0')).toHaveLength(1)
    expect(asked.filter((text) => text === 'p150')).toHaveLength(3)
    expect(asked.filter((text) => text === 'p199')).toHaveLength(1)
  })

  test('tells why it failed, answers by the old vectors, and can be tried again', async () => {
    const { alice } = server
    const { url, id, state, change } = await archiveOf(3)
    await change('down')
    embedders.before = async (name) => {
      if (name === 'down') throw unreachable()
    }
    await server.settle()
    const error_message = 'The model does not answer.'
    expect(await state()).toMatchObject({ status: 'failed', error_message, total: 3, embedded: 0 })
    expect(await dimensions(url)).toEqual([512])
    expect((await alice.post(`${url}/passages`, { text: 'still' })).status).toBe(200)
    expect(await dimensions(url)).toEqual([512])
    embedders.before = async () => {}
    expect((await alice.post(`${url}/embedding`)).body).toMatchObject({ status: 'embedding' })
    await server.settle()
    expect(await state()).toMatchObject({ status: 'ready', total: 4, embedded: 4 })
    expect(await state()).not.toHaveProperty('error_message')
    expect(await vectorsIn(id)).toEqual({ [of('down')]: 4 })
  })

  test.each([400, 401, 403, 404])('to one that refuses (%s) fails at once, with the reason', async (status) => {
    const { id, state, change } = await archiveOf(1)
    await change(`refusing-${status}`)
    let asked = 0
    embedders.before = async () => {
      asked++
      throw refusedWith('acme', status)
    }
    await server.settle()
    expect(asked).toBe(1)
    const error_message = refusedWith('acme', status).message
    expect(await state()).toMatchObject({ status: 'failed', error_message, embedded: 0 })
    expect((await server.bob.get(`/v1/archives/${id}/embedding`)).status).toBe(404)
  })

  test.each([429, 503])('to one that is busy (%s) tells so while it is asked again', async (status) => {
    const { state, change } = await archiveOf(1)
    await change(`busy-${status}`)
    const seen: unknown[] = []
    embedders.before = async () => {
      seen.push(await state())
      if (seen.length < 3) throw refusedWith('acme', status)
    }
    await server.settle()
    const error_message = refusedWith('acme', status).message
    expect(seen[0]).not.toHaveProperty('error_message')
    for (const one of seen.slice(1)) expect(one).toMatchObject({ status: 'embedding', error_message })
    expect(seen).toHaveLength(3)
    expect(await state()).toMatchObject({ status: 'ready', embedded: 1 })
    expect(await state()).not.toHaveProperty('error_message')
  })

  test('to one that is not available fails without being tried again and again', async () => {
    const { state, change } = await archiveOf(1)
    embedders.unavailable.add('absent')
    await change('absent')
    await server.settle()
    expect(await state()).toMatchObject({ status: 'failed', error_message: expect.stringContaining('not available') })
    embedders.unavailable.clear()
    await change('absent', { embedding_endpoint: 'http://localhost:2/v1' })
    await server.settle()
    expect((await state()).status).toBe('ready')
  })

  test('from one that does not answer any more takes new passages all the same', async () => {
    const { alice } = server
    const { url, id, change } = await archiveOf(2, scriptedModel('retired'))
    await server.settle()
    embedders.unavailable.add('retired')
    expect((await alice.post(`${url}/passages`, { text: 'refused' })).status).toBe(422)
    await change('successor')
    const made = await alice.post(`${url}/passages?include=passage.embedding`, { text: 'taken' })
    expect(made.status).toBe(200)
    expect(made.body).not.toHaveProperty('embedding')
    await server.settle()
    expect(await vectorsIn(id)).toEqual({ [of('successor')]: 3 })
  })

  test('while a passage is being embedded never mixes the two', async () => {
    const { alice } = server
    const { url, id, change } = await archiveOf(0, scriptedModel('before'))
    once('before', () => change('after'))
    const made = (await alice.post(`${url}/passages?include=passage.embedding`, { text: 'between' })).body
    expect(made).not.toHaveProperty('embedding')
    expect(await vectorsIn(id)).toEqual({})
    await server.settle()
    expect(await vectorsIn(id)).toEqual({ [of('after')]: 1 })
  })

  test('is not what another length of pieces or another batch size is', async () => {
    const { id, change } = await archiveOf(2, scriptedModel('same'))
    await change('same', { embedding_chunk_size: 77, batch_size: 1 })
    const before = embedders.calls.same!.length
    await server.settle()
    expect(embedders.calls.same).toHaveLength(before)
    expect(await vectorsIn(id)).toEqual({ [of('same')]: 2 })
  })

  test('from none embeds what is there, more than one turn of it', async () => {
    const { id, url, state, change } = await archiveOf(1100, null)
    expect(await state()).toEqual({ status: 'ready', total: 1100, embedded: 0 })
    expect(await dimensions(url)).toEqual([undefined])
    await change('first')
    await server.settle()
    expect(await vectorsIn(id)).toEqual({ [of('first')]: 1100 })
    expect(embedders.calls.first!.flat()).toHaveLength(1100)
  })
})

test('a folder’s passages are embedded anew like an archive’s', async () => {
  const { alice, bob, database } = server
  const { id } = (await alice.post('/v1/folders/', { name: 'Papers', embedding_chunk_size: 123 })).body
  const url = `/v1/folders/${id}`
  const file = newId('file')
  await sql`insert into files (organization_id, id, source_id, file_name, created_at, updated_at)
    select organization_id, ${file}, id, 'notes.txt', now(), now() from folders where id = ${id}`.execute(
    database.kysely,
  )
  await sql`insert into passages (organization_id, id, source_id, file_id, file_name, text, created_at, updated_at)
    select organization_id, ${newId('passage')}, source_id, id, file_name, 'a piece', now(), now()
    from files where id = ${file}`.execute(database.kysely)
  expect((await alice.get(`${url}/embedding`)).body).toMatchObject({ status: 'embedding', total: 1, embedded: 0 })
  await alice.post(`${url}/embedding`)
  await server.settle()
  expect(await vectorsIn(id)).toEqual({ [NATIVE]: 1 })
  await alice.patch(url, { embedding_config: scriptedModel('folder', { embedding_chunk_size: 123 }) })
  await server.settle()
  expect(await vectorsIn(id)).toEqual({ [of('folder')]: 1 })
  const back = await alice.patch(`/v1/sources/${id}`, { embedding: 'cairn/lexical' })
  expect(back.body.embedding_config).toMatchObject({ handle: 'cairn/lexical', embedding_chunk_size: 123 })
  await server.settle()
  expect(await vectorsIn(id)).toEqual({ [NATIVE]: 1 })
  expect((await alice.patch(url, { embedding: null })).status).toBe(422)
  for (const method of ['GET', 'POST']) expect((await bob.call(method, `${url}/embedding`)).status).toBe(404)
})

test('another organization learns nothing of an archive’s embedding, nor starts it', async () => {
  const { bob } = server
  const { url } = await archiveOf(1)
  for (const method of ['GET', 'POST']) expect((await bob.call(method, `${url}/embedding`)).status).toBe(404)
  expect((await bob.patch(url, { embedding_config: null })).status).toBe(404)
})

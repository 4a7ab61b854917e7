import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createScriptedEmbedders, type ScriptedEmbedders, scriptedModel } from '../../../test/embedders.ts'
import { startTestServer, type TestServer } from '../../../test/server.ts'
import { embedNewPassages } from './embed.ts'
import { prepareSearch } from './prepare-search.ts'
import { searchPassages } from './search.ts'
import type { FoundPassage, SearchPassages } from './search-schema.ts'

let server: TestServer
let embedders: ScriptedEmbedders
/** An archive of the built-in model, and two of others. */
let archives: Record<'lexical' | 'first' | 'second', string>

beforeAll(async () => {
  embedders = createScriptedEmbedders()
  server = await startTestServer({}, { embedders })
  const make = async (embedding_config?: object) => {
    const { id } = (await server.alice.post('/v1/archives/', { name: 'Archive', embedding_config })).body
    await server.alice.post(`/v1/archives/${id}/passages`, { text: `A kettle of ${id}` })
    return id
  }
  archives = {
    lexical: await make(),
    first: await make(scriptedModel('first')),
    second: await make(scriptedModel('second')),
  }
})
afterAll(() => server.close())
beforeEach(() => {
  embedders.before = async () => {}
  embedders.unavailable.clear()
})

/** Has models accept what they are asked and never answer, whether they are told to stop or not. */
const silence = (...models: string[]) => {
  embedders.before = (model) => (models.includes(model) ? new Promise(() => {}) : Promise.resolve())
}

/** A search that waits a moment for models. */
async function hasty(body: SearchPassages): Promise<FoundPassage[]> {
  const scope = server.scopeOf(server.organizations.alice)
  const searched = { embedders, stores: {}, timeoutMs: 300 }
  const found = await searchPassages(
    scope,
    await prepareSearch(scope, searched, body),
    body,
    new AbortController().signal,
  )
  return JSON.parse(found.text)
}

const archivesOf = (found: FoundPassage[]) => found.map(({ passage }) => passage.archive_id).sort()
const errorsOf = (found: FoundPassage[]) => [...new Set(found.map(({ metadata }) => metadata.vector_error))]
const find = (body: object) => server.alice.post('/v1/passages/search', { query: 'kettle', ...body })

describe('a search whose models do not all answer', () => {
  test('waits for a silent model no longer than it has patience, and goes on by words', async () => {
    silence('first')
    const found = await hasty({ query: 'kettle', archive_id: archives.first })
    expect(archivesOf(found)).toEqual([archives.first])
    expect(found[0]!.metadata).toMatchObject({
      search_mode: 'fts',
      vector_error: 'openai/first/256 did not answer within 0.3 seconds.',
    })
    const error = await hasty({ query: 'kettle', archive_id: archives.first, search_mode: 'vector' }).catch((e) => e)
    expect([error.status, error.message]).toEqual([502, 'openai/first/256 did not answer within 0.3 seconds.'])
  })

  test('of all archives has the vectors of the others', async () => {
    silence('first')
    const found = await hasty({ query: 'kettle', search_mode: 'vector' })
    expect(archivesOf(found)).toEqual([archives.lexical, archives.second].sort())
    expect(errorsOf(found)).toEqual(['openai/first/256 did not answer within 0.3 seconds.'])
    expect(await hasty({ query: 'kettle' })).toHaveLength(3)
  })

  test('by vectors tells which models are not available, and fails when there is no other', async () => {
    embedders.unavailable.add('first').add('second')
    const { status, body } = await find({ search_mode: 'vector' })
    expect([status, archivesOf(body)]).toEqual([200, [archives.lexical]])
    expect(errorsOf(body)[0]).toContain('first is not available here')
    expect(errorsOf(body)[0]).toContain('second is not available here')
    expect((await find({ search_mode: 'vector', archive_id: archives.first })).status).toBe(422)
    expect((await find({ archive_id: archives.first })).status).toBe(200)
    // A model of hers is no concern of his.
    await server.bob.post('/v1/archives/', { name: 'His' })
    expect((await server.bob.post('/v1/passages/search', { query: 'kettle', search_mode: 'vector' })).body).toEqual([])
  })
})

test('passages are not made when a model does not answer, and the request ends', async () => {
  silence('first')
  const scope = server.scopeOf(server.organizations.alice)
  const config = { embedding_config: scriptedModel('first'), serving_config: null }
  const error = await embedNewPassages(scope, embedders, config, ['a'], 50).catch((e) => e)
  expect([error.status, error.message]).toEqual([502, 'openai/first/256 did not answer within 0.05 seconds.'])
  // While the model is being replaced, the passages need no vector of it.
  expect(
    await embedNewPassages(scope, embedders, { ...config, serving_config: scriptedModel('first') }, ['a'], 50),
  ).toBe(undefined)
})

import { describe, expect, test } from 'vitest'
import { createScriptedEmbedders, scriptedModel } from '../../../../test/embedders.ts'
import { type Client, useTestServer } from '../../../../test/server.ts'
import { cut, idsOf, pagesFrom } from '../../../../test/walk.ts'

const server = useTestServer({}, { embedders: createScriptedEmbedders() })

/** A new agent, and where its archival memory is. */
async function newAgent(client: Client = server.alice, body: object = {}) {
  const { id } = (await client.post('/v1/agents/', { name: 'Ada', include_base_tools: false, ...body })).body
  return { id, url: `/v1/agents/${id}/archival-memory` }
}

const archivesOf = async (id: string) => (await server.alice.get(`/v1/archives/?agent_id=${id}`)).body

describe('the archival memory of an agent', () => {
  test('is its archive, made with the first passage and with the agent’s model', async () => {
    const { alice } = server
    const { id, url } = await newAgent(alice, { embedding_config: scriptedModel('own') })
    expect((await alice.get(url)).body).toEqual([])
    expect(await archivesOf(id)).toEqual([])
    const made = await alice.post(`${url}?include=passage.embedding`, { text: 'Likes tea.', tags: ['b', 'a', 'b'] })
    expect(made.status).toBe(200)
    expect(made.body).toMatchObject([{ text: 'Likes tea.', tags: ['b', 'a'], metadata: {} }])
    expect(made.body[0].embedding).toHaveLength(256)
    const [archive, ...others] = await archivesOf(id)
    expect(others).toEqual([])
    expect(archive).toMatchObject({
      id: made.body[0].archive_id,
      name: "Ada's Archive",
      description: 'Default archive created automatically',
      embedding_config: { embedding_model: 'own' },
    })
    const { embedding: _, ...plain } = made.body[0]
    expect((await alice.get(url)).body).toEqual([plain])
    expect((await alice.get(`/v1/archives/${archive.id}/passages`)).body).toEqual([plain])
  })

  test('is the archive that is attached; without a model of the agent’s, a new one has the built-in', async () => {
    const { alice } = server
    const agent = await newAgent()
    const archive = (await alice.post('/v1/archives/', { name: 'Shared' })).body
    await alice.patch(`/v1/agents/${agent.id}/archives/attach/${archive.id}`)
    expect((await alice.post(agent.url, { text: 'a' })).body[0].archive_id).toBe(archive.id)
    const other = await newAgent()
    const [made] = (await alice.post(other.url, { text: 'a' })).body
    expect(made.embedding_config.handle).toBe('cairn/lexical')
  })

  test('gets one archive, however many callers put the first passage in', async () => {
    const { alice } = server
    const { id, url } = await newAgent()
    const made = await Promise.all(Array.from({ length: 50 }, (_, n) => alice.post(url, { text: `${n}` })))
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 200))
    expect(await archivesOf(id)).toHaveLength(1)
    expect(new Set(idsOf((await alice.get(`${url}?limit=200`)).body))).toEqual(
      new Set(made.map(({ body }) => body[0].id)),
    )
  })

  test('is listed page by page, oldest or newest first, by part of the text', async () => {
    const { alice } = server
    const { url } = await newAgent()
    const ids: string[] = []
    for (let n = 0; n < 9; n++) {
      const created_at = `2020-01-0${1 + (n >> 2)}T00:00:00Z`
      ids.push((await alice.post(url, { text: n % 3 ? `Tea ${n}` : `100%_${n}`, created_at })).body[0].id)
    }
    const all = idsOf((await alice.get(url)).body)
    expect(new Set(all)).toEqual(new Set(ids))
    expect(await pagesFrom(alice, `${url}?limit=2`)).toEqual(cut(all, 2))
    expect(await pagesFrom(alice, `${url}?limit=2&ascending=false`)).toEqual(cut(all.toReversed(), 2))
    expect(idsOf((await alice.get(`${url}?ascending=false&order=asc`)).body)).toEqual(all)
    expect(idsOf((await alice.get(`${url}?ascending=false&after=${all[4]}`)).body)).toEqual(
      all.slice(0, 4).toReversed(),
    )
    expect((await alice.get(`${url}?search=tEA`)).body).toHaveLength(6)
    expect((await alice.get(`${url}?search=${encodeURIComponent('%_')}`)).body).toHaveLength(3)
    expect((await alice.get(`${url}?limit=201`)).status).toBe(422)
  })

  test('loses what is deleted from it, and nothing that lies elsewhere', async () => {
    const { alice } = server
    const [one, other] = [await newAgent(), await newAgent()]
    const [passage] = (await alice.post(one.url, { text: 'a' })).body
    expect((await alice.delete(`${other.url}/${passage.id}`)).status).toBe(404)
    await alice.post(other.url, { text: 'b' })
    expect((await alice.delete(`${other.url}/${passage.id}`)).status).toBe(404)
    const gone = await alice.delete(`${one.url}/${passage.id}`)
    expect([gone.status, gone.body]).toEqual([200, { message: `Memory id=${passage.id} successfully deleted` }])
    expect((await alice.delete(`${one.url}/${passage.id}`)).status).toBe(404)
    expect((await alice.get(one.url)).body).toEqual([])
  })

  test('of another organization is that of an agent that does not exist', async () => {
    const { alice, bob } = server
    const { url } = await newAgent()
    const [passage] = (await alice.post(url, { text: 'a' })).body
    expect((await bob.get(url)).status).toBe(404)
    expect((await bob.post(url, { text: 'b' })).status).toBe(404)
    expect((await bob.delete(`${url}/${passage.id}`)).status).toBe(404)
    expect((await bob.get('/v1/archives/')).body).toEqual([])
    expect(idsOf((await alice.get(url)).body)).toEqual([passage.id])
  })
})

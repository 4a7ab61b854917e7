import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { imported } from '../../../test/agent-export.ts'
import { useTestServer } from '../../../test/server.ts'

const server = useTestServer()

test.each(['pinecone', 'groq'])(
  'an embedding model that cannot be used here (%s) keeps nothing of a file out: the built-in one stands in for it',
  async (embedding_endpoint_type) => {
    const embedding_config = { embedding_model: 'm', embedding_endpoint_type, embedding_dim: 3 }
    const embedded = { embedding: 'elsewhere/m', embedding_config }
    const sources = [{ id: 'source-0', name: randomUUID(), ...embedded }]
    const [id] = await imported(server.alice, {
      agents: [{ id: 'agent-0', name: 'A', source_ids: ['source-0'], ...embedded }],
      sources,
    })
    const agent = (await server.alice.get(`/v1/agents/${id}?include=agent.sources`)).body
    expect(agent).not.toHaveProperty('embedding_config')
    const folder = (await server.alice.get(`/v1/folders/${agent.sources[0].id}`)).body
    expect(folder.embedding_config.handle).toBe('cairn/lexical')
    const url = `/v1/agents/${id}/archival-memory`
    expect((await server.alice.post(url, { text: 'It works.' })).status).toBe(200)
  },
)

test('the built-in embedding model of an early file is the built-in one', async () => {
  const embedding_config = { embedding_model: 'lexical', embedding_endpoint_type: 'native', embedding_dim: 512 }
  const [id] = await imported(server.alice, { agents: [{ id: 'agent-0', name: 'Early', embedding_config }] })
  const { body } = await server.alice.get(`/v1/agents/${id}`)
  expect(body.embedding_config).toMatchObject({ ...embedding_config, embedding_endpoint_type: 'hugging-face' })
  expect((await server.alice.post(`/v1/agents/${id}/archival-memory`, { text: 'It works.' })).status).toBe(200)
})

import Letta from '@letta-ai/letta-client'
import { describe, expect, test } from 'vitest'
import { all, refused, useLetta } from './client.ts'

const server = useLetta()

const AZURE = {
  embedding_model: 'ada',
  embedding_endpoint_type: 'azure',
  embedding_dim: 1536,
  azure_endpoint: 'https://example.com',
  azure_deployment: 'letta_core',
  azure_version: null,
} as const

describe('archives of the SDK', () => {
  test('are created, retrieved, updated, listed and deleted', async () => {
    const { alice, bob } = server
    const made = await alice.archives.create({ name: 'svc_core', description: 'letta_core', embedding_config: AZURE })
    expect(made).toMatchObject({
      id: expect.stringMatching(/^archive-.{36}$/),
      name: 'svc_core',
      description: 'letta_core',
      vector_db_provider: 'native',
      created_at: expect.stringMatching(/Z$/),
    })
    const { azure_version, ...azure } = AZURE
    expect(made.embedding_config).toMatchObject(azure)
    expect(await alice.archives.retrieve(made.id)).toEqual(made)
    const updated = await alice.archives.update(made.id, { name: 'Papers', description: null })
    expect(updated).toMatchObject({ id: made.id, name: 'Papers', description: 'letta_core' })
    expect(updated.embedding_config).toEqual(made.embedding_config)
    const byHandle = await alice.archives.create({ name: 'papers', embedding: 'openai/text-embedding-3-small' })
    expect(byHandle.embedding_config).toMatchObject({ embedding_dim: 1536, embedding_endpoint_type: 'openai' })
    expect(await all(alice.archives.list({ name: 'Papers' }))).toEqual([updated])
    expect(await all(alice.archives.list({ name: null, agent_id: null }))).toEqual([byHandle, updated])
    expect(await all(bob.archives.list())).toEqual([])

    await refused(bob.archives.retrieve(made.id), Letta.NotFoundError, made.id)
    await refused(bob.archives.update(made.id, { name: 'His' }), Letta.NotFoundError, made.id)
    await refused(bob.archives.delete(made.id), Letta.NotFoundError, made.id)
    // A 204, requested with `Accept: */*`.
    const { response, data } = await alice.archives.delete(made.id).withResponse()
    expect([response.status, data]).toEqual([204, null])
    await refused(alice.archives.delete(made.id), Letta.NotFoundError, made.id)
    await refused(
      alice.archives.create({ name: 'x', embedding: 'nobody/none' }),
      Letta.UnprocessableEntityError,
      /nearest known ones are/,
    )
  })
})

describe('folders of the SDK', () => {
  test('are created, retrieved, updated, listed and deleted', async () => {
    const { alice, bob } = server
    const metadata = { agent_type: 'svc_v1_agent', azure_endpoint: 'letta_core', cloud_endpoint: null }
    const body = { name: 'Reports', description: 'letta_core', instructions: 'svc_core', metadata }
    const made = await alice.folders.create({ ...body, embedding_config: AZURE })
    const { azure_version, ...azure } = AZURE
    expect(made).toMatchObject({ id: expect.stringMatching(/^source-.{36}$/), ...body, embedding_config: azure })
    expect(made.metadata).toEqual(metadata)
    expect(await alice.folders.retrieve(made.id)).toEqual(made)
    expect(await alice.folders.update(made.id, { name: null, description: null, metadata: null })).toEqual(made)
    const updated = await alice.folders.update(made.id, { name: 'All reports', instructions: 'Read' })
    expect(updated).toMatchObject({ ...body, name: 'All reports', instructions: 'Read', embedding_config: azure })
    const plain = await alice.folders.create({ name: 'Plain', embedding_chunk_size: 100 })
    expect(plain.embedding_config).toMatchObject({ embedding_chunk_size: 100 })
    expect(await all(alice.folders.list({ name: 'REPORT' }))).toEqual([updated])
    expect(await all(alice.folders.list({ name: null }))).toEqual([updated, plain])
    expect(await all(bob.folders.list())).toEqual([])
    expect(await alice.folders.agents.list(made.id)).toEqual([])

    await refused(alice.folders.create({ name: 'Plain' }), Letta.ConflictError, /already exists/)
    expect((await bob.folders.create({ name: 'Plain' })).id).not.toBe(plain.id)
    await refused(bob.folders.retrieve(made.id), Letta.NotFoundError, made.id)
    await refused(bob.folders.update(made.id, { name: 'His' }), Letta.NotFoundError, made.id)
    await refused(bob.folders.delete(made.id), Letta.NotFoundError, made.id)
    expect(await alice.folders.delete(made.id)).toBeNull()
    await refused(alice.folders.retrieve(made.id), Letta.NotFoundError, made.id)
  })

  test('list their agents page by page', async () => {
    const { alice } = server
    const { id } = await alice.folders.create({ name: 'Shared' })
    const agents: string[] = []
    for (let n = 0; n < 3; n++) {
      const made = await alice.agents.create({ name: `Agent ${n}`, include_base_tools: false, folder_ids: [id] })
      agents.unshift(made.id)
    }
    expect(await alice.folders.agents.list(id)).toEqual(agents)
    expect(await alice.folders.agents.list(id, { limit: 2, after: agents[0]! })).toEqual(agents.slice(1))
    expect(await alice.folders.agents.list(id, { limit: 1, before: agents[2]!, after: null })).toEqual([agents[1]])
  })
})

import Letta, { toFile } from '@letta-ai/letta-client'
import { describe, expect, test } from 'vitest'
import { all, refused, UNKNOWN, useLetta } from './client.ts'

const server = useLetta()

/** Data of the caller's own that resembles the vendor's names. */
const WORDS = { agent_type: 'letta_v1_agent', tool_type: 'svc_core', azure_endpoint: 'x', cloud_endpoint: null }

describe('agents of the SDK', () => {
  test('are created, retrieved, updated, listed and deleted, in the names of its types', async () => {
    const { alice, bob } = server
    const made = await alice.agents.create({
      name: 'Ada',
      model: 'openai/gpt-4o-mini',
      embedding: 'openai/text-embedding-3-small',
      agent_type: 'letta_v1_agent',
      description: 'letta_v1_agent',
      memory_blocks: [{ label: 'human', value: 'svc_v1_agent and letta_v1_agent' }],
      metadata: WORDS,
      tags: ['letta_core', 'svc_core'],
      tool_rules: [{ type: 'exit_loop', tool_name: 'conversation_search' }],
      secrets: { TOKEN: 'svc_core' },
    })
    expect(made).toMatchObject({
      id: expect.stringMatching(/^agent-.{36}$/),
      name: 'Ada',
      agent_type: 'letta_v1_agent',
      description: 'letta_v1_agent',
      memory: { agent_type: 'letta_v1_agent' },
      model: 'openai/gpt-4o-mini',
      llm_config: { handle: 'openai/gpt-4o-mini', model: 'gpt-4o-mini' },
      embedding: 'openai/text-embedding-3-small',
      embedding_config: { embedding_dim: 1536, embedding_endpoint_type: 'openai' },
      metadata: WORDS,
      tags: ['letta_core', 'svc_core'],
      tool_rules: [{ type: 'exit_loop', tool_name: 'conversation_search' }],
      sources: [],
    })
    expect(made.blocks).toMatchObject([{ label: 'human', value: 'svc_v1_agent and letta_v1_agent' }])
    expect(made.memory.blocks).toMatchObject(made.blocks)
    expect(made.secrets).toMatchObject([{ key: 'TOKEN', value: 'svc_core' }])
    expect(made.tools.map(({ name, tool_type }) => [name, tool_type])).toEqual(
      expect.arrayContaining([
        ['conversation_search', 'letta_core'],
        ['memory_insert', 'letta_sleeptime_core'],
      ]),
    )
    expect((await server.neutral.get(`/v1/agents/${made.id}`)).body).toMatchObject({
      agent_type: 'svc_v1_agent',
      description: 'letta_v1_agent',
      metadata: WORDS,
    })

    const include = ['agent.blocks', 'agent.secrets', 'agent.tags', 'agent.tools'] as const
    const retrieved = await alice.agents.retrieve(made.id, { include: [...include] })
    for (const field of ['agent_type', 'blocks', 'memory', 'metadata', 'secrets', 'tags', 'tools'] as const) {
      expect(retrieved[field]).toEqual(made[field])
    }
    expect(await alice.agents.retrieve(made.id)).toMatchObject({ name: 'Ada', blocks: [], tools: [], tags: [] })

    const updated = await alice.agents.update(made.id, {
      name: 'Grace',
      description: null,
      metadata: null,
      tags: ['x'],
    })
    expect(updated).toMatchObject({ name: 'Grace', description: 'letta_v1_agent', metadata: WORDS, tags: ['x'] })
    expect(updated.agent_type).toBe('letta_v1_agent')

    const byTag = await all(alice.agents.list({ tags: ['x'], include: ['agent.tags', 'agent.tools'] }))
    expect(byTag).toMatchObject([{ id: made.id, agent_type: 'letta_v1_agent', metadata: WORDS, tags: ['x'] }])
    expect(byTag[0]!.tools).toEqual(made.tools)
    expect(await all(bob.agents.list())).toEqual([])

    await refused(bob.agents.retrieve(made.id), Letta.NotFoundError, made.id)
    await refused(bob.agents.update(made.id, { name: 'His' }), Letta.NotFoundError, made.id)
    await refused(bob.agents.delete(made.id), Letta.NotFoundError, made.id)
    expect(await alice.agents.delete(made.id)).toMatchObject({ message: expect.stringContaining(made.id) })
    await refused(alice.agents.retrieve(made.id), Letta.NotFoundError, made.id)
  })

  test('of every type that can be created have the requested type', async () => {
    const { alice } = server
    for (const agent_type of ['memgpt_agent', 'memgpt_v2_agent', 'letta_v1_agent', 'react_agent'] as const) {
      const { id } = await alice.agents.create({ name: agent_type, agent_type })
      expect(await alice.agents.retrieve(id)).toMatchObject({ agent_type, memory: { agent_type } })
    }
  })

  test('are listed in the order and by the filters of the SDK', async () => {
    const { bob } = server
    const project_id = 'p'
    const one = await bob.agents.create({ name: 'One', tags: ['a', 'b'] })
    const two = await bob.agents.create({ name: 'Two', tags: ['a'], project_id })
    await bob.agents.update(one.id, { description: 'changed last' })
    const names = async (query: Letta.AgentListParams) => (await all(bob.agents.list(query))).map(({ name }) => name)
    expect(await names({})).toEqual(['Two', 'One'])
    expect(await names({ order: 'asc' })).toEqual(['One', 'Two'])
    expect(await names({ order_by: 'updated_at' })).toEqual(['One', 'Two'])
    expect(await names({ ascending: true })).toEqual(['One', 'Two'])
    expect(await names({ name: 'One' })).toEqual(['One'])
    expect(await names({ query_text: 'w' })).toEqual(['Two'])
    expect(await names({ tags: ['a', 'b'] })).toEqual(['Two', 'One'])
    expect(await names({ tags: ['a', 'b'], match_all_tags: true })).toEqual(['One'])
    expect(await names({ project_id })).toEqual(['Two'])
    // The SDK sends null as `key=`.
    expect(await names({ name: null, tags: null, identity_id: null, project_id: null, limit: null })).toHaveLength(2)
    expect(await names({ colour: 'red' } as never)).toHaveLength(2)
    const [found] = await all(bob.agents.list({ name: 'Two', include_relationships: ['tags'] }))
    expect(found!.tags).toEqual(['a'])
    expect(two.project_id).toBe(project_id)
  })

  test('ignore unknown fields of a body', async () => {
    const made = await server.alice.agents.create({ name: 'Plain', colour: 'red' } as never)
    expect(made).not.toHaveProperty('colour')
    const updated = await server.alice.agents.update(made.id, { colour: 'red', name: 'Plain too' } as never)
    expect(updated.name).toBe('Plain too')
  })

  test('are exported to a file the SDK imports again, also into another organization', async () => {
    const { alice, bob } = server
    const made = await alice.agents.create({
      name: 'Traveller',
      agent_type: 'letta_v1_agent',
      memory_blocks: [{ label: 'human', value: 'letta_v1_agent, svc_core' }],
      secrets: { TOKEN: 'x' },
    })
    // The SDK's type is string, but it parses JSON.
    const file = (await alice.agents.exportFile(made.id)) as unknown as { agents: object[]; tools: object[] }
    expect(file.agents).toMatchObject([{ name: 'Traveller', agent_type: 'letta_v1_agent' }])
    expect(file.tools).toContainEqual(expect.objectContaining({ tool_type: 'letta_core' }))
    for (const client of [alice, bob]) {
      const { agent_ids } = await client.agents.importFile({
        file: await toFile(Buffer.from(JSON.stringify(file)), 'traveller.af'),
        override_name: 'Arrived',
        secrets: JSON.stringify({ TOKEN: 'y' }),
        'x-override-embedding-model': 'openai/text-embedding-3-large',
      })
      expect(agent_ids).toHaveLength(1)
      const arrived = await client.agents.retrieve(agent_ids[0]!, { include: ['agent.blocks', 'agent.secrets'] })
      expect(arrived).toMatchObject({
        name: 'Arrived',
        agent_type: 'letta_v1_agent',
        embedding: 'openai/text-embedding-3-large',
        blocks: [{ label: 'human', value: 'letta_v1_agent, svc_core' }],
        secrets: [{ key: 'TOKEN', value: 'y' }],
      })
      expect(arrived.id).not.toBe(made.id)
    }
    await refused(bob.agents.exportFile(made.id), Letta.NotFoundError, made.id)
    const broken = await toFile(Buffer.from('{"agents":'), 'broken.af')
    await refused(alice.agents.importFile({ file: broken }), Letta.APIError, /JSON/)
  })

  test('that do not exist are not found, by every method', async () => {
    const { alice } = server
    const id = `agent-${UNKNOWN}`
    for (const call of [
      () => alice.agents.retrieve(id),
      () => alice.agents.update(id, { name: 'x' }),
      () => alice.agents.delete(id),
      () => alice.agents.exportFile(id),
      () => alice.agents.tools.list(id),
      () => alice.agents.folders.list(id),
      () => alice.agents.blocks.list(id),
    ]) {
      await refused(call(), Letta.NotFoundError, `No agent with id ${id} in this organization.`)
    }
  })
})

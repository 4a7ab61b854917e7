import Letta from '@letta-ai/letta-client'
import { describe, expect, test } from 'vitest'
import { all, refused, UNKNOWN, useLetta } from './client.ts'

const server = useLetta()

/** The vendor's names and the neutral ones, where they are the caller's own. */
const WORDS = {
  agent_type: 'svc_v1_agent',
  azure_endpoint: 'letta_core',
  cloud_endpoint: null,
  include: ['letta_core'],
}
const VALUE = '"agent_type":"svc_v1_agent", "azure_endpoint": "letta_v1_agent"'

describe('blocks of the SDK', () => {
  test('are created, retrieved, updated, listed and deleted, and their values are never changed', async () => {
    const { alice, bob } = server
    const body = { label: 'svc_core', value: VALUE, description: 'letta_core', metadata: WORDS, tags: ['letta_core'] }
    const made = await alice.blocks.create({ ...body, limit: 5000, read_only: true })
    expect(made).toMatchObject({ id: expect.stringMatching(/^block-.{36}$/), ...body, limit: 5000, read_only: true })
    expect(await alice.blocks.retrieve(made.id)).toEqual(made)
    expect(made).toMatchObject((await server.neutral.get(`/v1/blocks/${made.id}`)).body)
    const kept = await alice.blocks.update(made.id, { value: null, label: null, description: null, limit: null })
    expect(kept).toEqual(made)
    const updated = await alice.blocks.update(made.id, { value: `${VALUE}!`, metadata: { ...WORDS, more: null } })
    expect(updated).toMatchObject({ ...body, value: `${VALUE}!`, metadata: { ...WORDS, more: null } })
    expect(await all(alice.blocks.list({ label: 'svc_core' }))).toEqual([updated])

    await refused(bob.blocks.retrieve(made.id), Letta.NotFoundError, made.id)
    await refused(bob.blocks.update(made.id, { value: 'his' }), Letta.NotFoundError, made.id)
    await refused(bob.blocks.delete(made.id), Letta.NotFoundError, made.id)
    expect(await alice.blocks.delete(made.id)).toBeNull()
    await refused(alice.blocks.retrieve(made.id), Letta.NotFoundError, made.id)
  })

  test('are found by every filter of the SDK', async () => {
    const { bob } = server
    const one = await bob.blocks.create({ label: 'human', value: 'Likes tea', tags: ['a', 'b'], project_id: 'p' })
    const two = await bob.blocks.create({ label: 'persona', value: 'Ada', description: 'Who she is', tags: ['a'] })
    const template = await bob.blocks.create({ label: 't', value: '', is_template: true, template_name: 'Name' })
    const agent_id = (await bob.agents.create({ name: 'Agent', block_ids: [one.id] })).id
    const identity = await bob.post<{ id: string }>('/v1/identities/', {
      body: { identifier_key: 'ann', name: 'Ann', identity_type: 'user', block_ids: [two.id] },
    })
    const found = async (query: Letta.BlockListParams) => (await all(bob.blocks.list(query))).map(({ id }) => id)
    expect(await found({})).toEqual([one.id, two.id])
    expect(await found({ order: 'desc', limit: 1 })).toEqual([two.id, one.id])
    expect(await found({ label: 'human' })).toEqual([one.id])
    expect(await found({ label_search: 'ers' })).toEqual([two.id])
    expect(await found({ value_search: 'tea' })).toEqual([one.id])
    expect(await found({ description_search: 'she' })).toEqual([two.id])
    expect(await found({ tags: ['a', 'b'] })).toEqual([one.id, two.id])
    expect(await found({ tags: ['a', 'b'], match_all_tags: true })).toEqual([one.id])
    expect(await found({ project_id: 'p' })).toEqual([one.id])
    expect(await found({ templates_only: true })).toEqual([template.id])
    expect(await found({ name: 'Name' })).toEqual([template.id])
    expect(await found({ identity_id: identity.id })).toEqual([two.id])
    expect(await found({ identifier_keys: ['ann'] })).toEqual([two.id])
    expect(await found({ connected_to_agents_count_eq: [1] })).toEqual([one.id])
    expect(await found({ connected_to_agents_count_gt: 0 })).toEqual([one.id])
    expect(await found({ connected_to_agents_count_lt: 1 })).toEqual([two.id])
    expect(
      await found({ label: null, tags: null, identity_id: null, connected_to_agents_count_gt: null }),
    ).toHaveLength(2)
    expect(await found({ colour: 'red' } as never)).toHaveLength(2)
    expect((await all(bob.blocks.agents.list(one.id, { include: ['agent.blocks'] }))).map(({ id }) => id)).toEqual([
      agent_id,
    ])
    expect(await all(server.alice.blocks.list({ tags: ['a'] }))).toEqual([])
  })

  test('that are too long, or do not exist, are refused with the cause', async () => {
    const { alice } = server
    await refused(
      alice.blocks.create({ label: 'human', value: 'x'.repeat(11), limit: 10 }),
      Letta.UnprocessableEntityError,
      /11.*10/,
    )
    await refused(alice.blocks.create({ label: 'human' } as never), Letta.UnprocessableEntityError, /value/)
    await refused(alice.blocks.retrieve('block-1'), Letta.UnprocessableEntityError, 'block-<uuid>')
    await refused(alice.blocks.retrieve(`block-${UNKNOWN}`), Letta.NotFoundError, UNKNOWN)
    expect(await all(alice.blocks.list({ label: 'human' }))).toEqual([])
  })
})

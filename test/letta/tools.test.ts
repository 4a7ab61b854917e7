import Letta from '@letta-ai/letta-client'
import { describe, expect, test } from 'vitest'
import { all, refused, useLetta } from './client.ts'

const server = useLetta()

const SOURCE = `def roll(sides: int) -> int:
    """Rolls a die, unlike svc_core and letta_core.

    Args:
        sides (int): How many sides it has
    """
    return sides
`

describe('tools of the SDK', () => {
  test('are created, retrieved, updated, upserted, listed and deleted', async () => {
    const { alice, bob } = server
    const made = await alice.tools.create({
      source_code: SOURCE,
      tags: ['letta_core'],
      pip_requirements: [{ name: 'dice', version: null }],
      default_requires_approval: true,
    })
    expect(made).toMatchObject({
      id: expect.stringMatching(/^tool-.{36}$/),
      name: 'roll',
      tool_type: 'custom',
      source_type: 'python',
      source_code: SOURCE,
      description: expect.stringContaining('unlike svc_core and letta_core'),
      tags: ['letta_core'],
      default_requires_approval: true,
      json_schema: {
        name: 'roll',
        parameters: { properties: { sides: { type: 'integer', description: 'How many sides it has' } } },
      },
    })
    expect(await alice.tools.retrieve(made.id)).toEqual(made)
    expect(await alice.tools.update(made.id, { source_code: null, description: null, tags: null })).toEqual(made)
    const metadata_ = { tool_type: 'svc_core', none: null }
    const updated = await alice.tools.update(made.id, { metadata_, return_char_limit: 100 })
    expect(updated).toMatchObject({ source_code: SOURCE, return_char_limit: 100, tags: ['letta_core'] })
    expect(updated.metadata_).toEqual(metadata_)

    const upserted = await alice.tools.upsert({ source_code: SOURCE, description: 'Anew' })
    expect(upserted).toMatchObject({ id: made.id, description: 'Anew' })
    const his = await bob.tools.upsert({ source_code: SOURCE })
    expect(his.id).not.toBe(made.id)
    await refused(alice.tools.create({ source_code: SOURCE }), Letta.ConflictError, /already exists/)
    await refused(alice.tools.create({ source_code: 'def (' }), Letta.UnprocessableEntityError, /source_code/)

    await refused(bob.tools.retrieve(made.id), Letta.NotFoundError, made.id)
    await refused(bob.tools.update(made.id, { tags: ['his'] }), Letta.NotFoundError, made.id)
    await refused(bob.tools.delete(made.id), Letta.NotFoundError, made.id)
    expect(await alice.tools.delete(made.id)).toBeNull()
    await refused(alice.tools.retrieve(made.id), Letta.NotFoundError, made.id)
  })

  test('are listed by every filter, and the built-in tools have the SDK’s type names', async () => {
    const { alice } = server
    const made = await alice.tools.create({ source_code: 'def listed():\n    """Listed."""' })
    const names = async (query: Letta.ToolListParams) => (await all(alice.tools.list(query))).map(({ name }) => name)
    const core = await all(alice.tools.list({ tool_types: ['letta_core'], limit: 1 }))
    expect(core.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'send_message',
        'conversation_search',
        'archival_memory_insert',
        'archival_memory_search',
      ]),
    )
    for (const { tool_type } of core) expect(tool_type).toBe('letta_core')
    const builtIn = await names({ return_only_letta_tools: true })
    expect(builtIn).toEqual(expect.arrayContaining(core.map(({ name }) => name)))
    expect(builtIn).not.toContain('listed')
    expect(await names({ exclude_tool_types: ['letta_core'] })).not.toContain('send_message')
    expect(await names({ name: 'listed' })).toEqual(['listed'])
    expect(await names({ names: ['send_message', 'listed'], order: 'desc' })).toEqual(['listed', 'send_message'])
    expect(await names({ tool_ids: [made.id] })).toEqual(['listed'])
    expect(await names({ search: 'LISTE' })).toEqual(['listed'])
    expect(await names({ search: null, name: null, names: null, return_only_letta_tools: null })).toContain('listed')
    const types = new Set((await all(alice.tools.list())).map(({ tool_type }) => tool_type))
    for (const type of types) expect(type).not.toMatch(/^svc_/)
    await refused(alice.tools.update(core[0]!.id, { tags: ['mine'] }), Letta.APIError, /built-in/i)
  })

  test('are searched by the vendor’s type names', async () => {
    const { alice, bob } = server
    await alice.tools.create({ source_code: 'def brew_tea():\n    """Brews a pot of tea."""', tags: ['kitchen'] })
    const [best] = await alice.tools.search({ query: 'brew tea', search_mode: 'fts', limit: 3 })
    expect(best).toMatchObject({ tool: { name: 'brew_tea', tool_type: 'custom' }, combined_score: expect.any(Number) })
    expect(await alice.tools.search({ query: 'tea', search_mode: 'fts', tags: ['garden'] })).toEqual([])
    const core = await alice.tools.search({ query: 'search', search_mode: 'fts', tool_types: ['letta_core'] })
    expect(core.length).toBeGreaterThan(0)
    for (const { tool } of core) expect(tool.tool_type).toBe('letta_core')
    for (const search_mode of ['vector', 'hybrid'] as const) {
      const [nearest] = await alice.tools.search({ query: 'brew a pot of tea', search_mode, limit: 1 })
      expect(nearest).toMatchObject({ tool: { name: 'brew_tea' }, vector_rank: 1 })
      const his = await bob.tools.search({ query: 'brew a pot of tea', search_mode, limit: 100 })
      expect(his.map(({ tool }) => tool.name)).not.toContain('brew_tea')
    }
    expect(
      (await bob.tools.search({ query: 'brew tea', search_mode: 'fts' })).map(({ tool }) => tool.name),
    ).not.toContain('brew_tea')
  })
})

describe('tags of the SDK', () => {
  test('are those of the organization’s agents, sorted by name, and found by substring', async () => {
    const { alice, bob } = server
    await alice.agents.create({ name: 'A', tags: ['letta_core', 'svc_core', 'tea'], include_base_tools: false })
    await bob.agents.create({ name: 'B', tags: ['his'], include_base_tools: false })
    expect(await alice.tags.list()).toEqual(expect.arrayContaining(['letta_core', 'svc_core', 'tea']))
    expect(await bob.tags.list()).toEqual(['his'])
    expect(await alice.tags.list({ query_text: 'CORE' })).toEqual(['letta_core', 'svc_core'])
    expect(await alice.tags.list({ query_text: 'core', order: 'desc', limit: 1 })).toEqual(['svc_core'])
    expect(await alice.tags.list({ query_text: 'core', after: 'letta_core', before: null })).toEqual(['svc_core'])
    expect(await alice.tags.list({ name: 'tea', limit: null })).toEqual(['tea'])
  })
})

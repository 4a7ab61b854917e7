import { expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'

const server = useTestServer()

test('a search leaves out hidden agents and those of other organizations', async () => {
  const { alice, bob } = server
  const agent = { name: 'Sought', model: 'openai/gpt-4o-mini' }
  const { id } = (await alice.post('/v1/agents/', agent)).body
  await alice.post('/v1/agents/', { ...agent, hidden: true })
  await bob.post('/v1/agents/', agent)
  const search = [{ field: 'name', operator: 'eq', value: 'Sought' }]
  const found = (await alice.post('/v1/agents/search', { search })).body
  expect(found).toEqual({ agents: [expect.objectContaining({ id, agent_type: 'svc_v1_agent' })] })
})

test('a search goes on where its page ended, by any of its keys', async () => {
  const { alice } = server
  const made = []
  for (const name of ['a', 'b', 'c']) {
    made.push((await alice.post('/v1/agents/', { name, model: 'openai/gpt-4o-mini', project_id: 'paged' })).body.id)
  }
  for (const sortBy of ['created_at', 'updated_at', 'last_run_completion']) {
    const seen: string[] = []
    let after: string | undefined
    do {
      const body = { project_id: 'paged', limit: 1, sortBy, ...(after && { after }) }
      const page = (await alice.post('/v1/agents/search', body)).body
      seen.push(...page.agents.map((agent: { id: string }) => agent.id))
      after = page.nextCursor
    } while (after)
    expect(seen).toEqual([...made].reverse())
  }
})

test.each([
  [{ search: [{ field: 'colour', value: 'red' }] }],
  [{ search: [{ field: 'tags', operator: 'eq', value: ['a'] }] }],
  [{ search: [{ field: 'name', operator: 'eq' }] }],
  [{ search: Array(21).fill({ field: 'agentId', operator: 'eq', value: 'x' }) }],
  [{ combinator: 'OR' }],
  [{ after: 'x' }],
  [{ sort_by: 'created_at' }],
])('a search for %j is refused', async (body) => {
  expect((await server.alice.post('/v1/agents/search', body)).status).toBe(422)
})

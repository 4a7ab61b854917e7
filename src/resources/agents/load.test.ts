import { describe, expect, test } from 'vitest'
import { countStatements } from '../../../test/count-statements.ts'
import { useTestServer } from '../../../test/server.ts'
import { newId } from '../../lib/ids.ts'
import { loadAgent, loadAgents } from './load.ts'

const server = useTestServer()
const scope = () => server.scopeOf(server.organizations.alice)

async function create(path: string, body: object): Promise<string> {
  const reply = await server.alice.post(`/v1/${path}/`, body)
  expect(reply).toMatchObject({ status: 200 })
  return reply.body.id
}

/** An agent with a relation of every kind. */
async function createRichAgent() {
  const block = await create('blocks', { label: 'human', value: 'Ann' })
  const folder = await create('folders', { name: newId('source') })
  const identity = await create('identities', {
    name: 'Ann',
    identity_type: 'user',
    identifier_key: newId('identity'),
  })
  const agent = await create('agents', {
    name: 'Rich',
    block_ids: [block],
    memory_blocks: [{ label: 'persona', value: 'Kind' }],
    folder_ids: [folder],
    identity_ids: [identity],
    secrets: { TOKEN: 'secret', BOX: 'secret' },
  })
  const member = await create('agents', { name: 'Member' })
  const group = await create('groups', {
    agent_ids: [member],
    description: 'Helpers',
    manager_config: { manager_type: 'supervisor', manager_agent_id: agent },
  })
  return { agent, member, block, folder, identity, group }
}

describe('agents with their relations', () => {
  test('have everything that is attached to them, in the order of attachment', async () => {
    const rich = await createRichAgent()
    const agent = await loadAgent(scope(), rich.agent)
    const { body } = await server.alice.get(`/v1/agents/${rich.agent}?include=agent.blocks&include=agent.tools`)
    const idsOf = (rows: { id?: string }[]) => rows.map(({ id }) => id)
    expect(agent.row).toMatchObject({ id: rich.agent, name: 'Rich', version: 1, message_ids: [expect.any(String)] })
    expect(agent.row).not.toHaveProperty('block_ids')
    expect(agent.blocks.map(({ label }) => label)).toEqual(['persona', 'human'])
    expect(idsOf(agent.blocks)).toEqual(idsOf(body.blocks))
    expect(idsOf(agent.tools)).toEqual(idsOf(body.tools))
    expect(idsOf(agent.folders)).toEqual([rich.folder])
    expect(agent.identity_ids).toEqual([rich.identity])
    expect(agent.managed_groups).toMatchObject([{ id: rich.group, agent_ids: [rich.member] }])
    expect(agent.secret_names).toEqual(['TOKEN', 'BOX'])
  })

  test('come in the order of the ids, without those that the organization lacks', async () => {
    const ids = [await create('agents', { name: 'One' }), await create('agents', { name: 'Two' })].reverse()
    const found = await loadAgents(scope(), [ids[0]!, newId('agent'), ids[1]!])
    expect(found.map(({ row }) => row.name)).toEqual(['Two', 'One'])
  })

  test('cost as many statements for many agents as for one', async () => {
    const many: string[] = []
    for (let n = 0; n < 5; n++) many.push((await createRichAgent()).agent)
    const one = await countStatements(() => loadAgents(scope(), many.slice(0, 1)))
    const all = await countStatements(() => loadAgents(scope(), many))
    expect(all.result.map(({ blocks }) => blocks.length)).toEqual([2, 2, 2, 2, 2])
    expect([one.statements, all.statements]).toEqual([5, 5])
  })

  test('of another organization are not found', async () => {
    const { body } = await server.bob.post('/v1/agents/', { name: "Bob's" })
    expect(await loadAgents(scope(), [body.id])).toEqual([])
    await expect(loadAgent(scope(), body.id)).rejects.toMatchObject({ code: 'not_found' })
  })
})

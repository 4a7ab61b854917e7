import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../test/server.ts'

const server = useTestServer()
let alice: Client
beforeAll(() => {
  alice = server.alice
})

interface Deployed {
  /** `/v1/templates/<project>/<name>` */
  base: string
  name: string
  agentId: string
  deploymentId: string
}

let names = 0

/** A template with two blocks, a folder and a secret, and an agent made from it. */
async function start(): Promise<Deployed> {
  const name = `template-${names++}`
  const folder = (await alice.post('/v1/folders/', { name: `first ${name}` })).body
  const agent = await alice.post('/v1/agents/', {
    name: 'Original',
    system: 'One',
    tags: ['kept', 'dropped'],
    include_base_tools: false,
    folder_ids: [folder.id],
    secrets: { NAMED: '' },
    memory_blocks: [
      { label: 'human', value: 'I am {{who}}' },
      { label: 'notes', value: 'Nothing yet' },
      { label: 'diary', value: 'Dear diary', preserve_on_migration: true },
    ],
  })
  const template = (await alice.post('/v1/templates/', { type: 'agent', agent_id: agent.body.id, name })).body
  const made = await alice.post(`/v1/templates/${name}/agents`, {
    agent_name: 'Mine',
    tags: ['own'],
    memory_variables: { who: 'Ann' },
    tool_variables: { NAMED: 'a', EXTRA: 'b' },
  })
  const base = `/v1/templates/${template.project_id}/${name}`
  return { base, name, agentId: made.body.agent_ids[0], deploymentId: made.body.deployment_id }
}

const ALL = ['blocks', 'tools', 'tags', 'sources', 'secrets'].map((name) => `include=agent.${name}`).join('&')
const read = async (id: string) => (await alice.get(`/v1/agents/${id}?${ALL}`)).body
const valuesOf = ({ blocks }: { blocks: { label: string; value: string }[] }) =>
  Object.fromEntries(blocks.map(({ label, value }) => [label, value]))

// biome-ignore lint/suspicious/noExplicitAny: a snapshot is taken apart and put together again
async function edit({ base }: Deployed, change: (snapshot: any) => void) {
  const { body } = await alice.get(`${base}:current/snapshot`)
  change(body)
  expect((await alice.call('PUT', `${base}:current/snapshot`, body)).status).toBe(200)
}

/** The second version: another prompt, other tags, another folder, a block changed, one gone, one new. */
async function editAll(deployed: Deployed): Promise<{ folder: string }> {
  const folder = (await alice.post('/v1/folders/', { name: `second ${deployed.name}` })).body.id
  await edit(deployed, (snapshot) => {
    const [agent] = snapshot.agents
    agent.systemPrompt = 'Two'
    agent.tags = ['kept', 'added']
    agent.sourceIds = [folder]
    snapshot.blocks = [
      { ...snapshot.blocks[0], value: 'Now I am {{who}}, {{greeting}}' },
      snapshot.blocks[2],
      { label: 'plans', value: 'For {{who}}' },
    ]
    snapshot.relationships = undefined
  })
  return { folder }
}

const save = (deployed: Deployed, body: object) => alice.post(`/v1/templates/${deployed.name}/save`, body)

/** Blocks the agent's own hands have changed. */
async function write({ agentId }: Deployed, values: Record<string, string>) {
  for (const [label, value] of Object.entries(values)) {
    const reply = await alice.patch(`/v1/agents/${agentId}/core-memory/blocks/${label}`, { value })
    expect(reply.status).toBe(200)
  }
}

describe('saving a version', () => {
  test('leaves agents as they are unless they are to be migrated', async () => {
    const deployed = await start()
    const before = await read(deployed.agentId)
    await editAll(deployed)
    await save(deployed, {})
    expect(await read(deployed.agentId)).toEqual(before)
  })

  test('brings agents to it, filled with their own variables', async () => {
    const deployed = await start()
    const before = await read(deployed.agentId)
    const { folder } = await editAll(deployed)
    await write(deployed, { human: 'I am someone else', diary: 'Today' })
    expect((await save(deployed, { migrate_agents: true })).status).toBe(200)
    const agent = await read(deployed.agentId)
    expect(agent).toMatchObject({ name: 'Mine', system: 'Two', base_template_id: before.base_template_id })
    expect(agent.template_id).not.toBe(before.template_id)
    expect([...agent.tags].sort()).toEqual(['added', 'kept', 'own'])
    expect(agent.sources.map(({ id }: { id: string }) => id)).toEqual([folder])
    expect(agent.secrets.map(({ key }: { key: string }) => key)).toEqual(['NAMED'])
    // What has no value yet stays as it stands; a block marked so keeps its value; a block that is gone stays.
    expect(valuesOf(agent)).toEqual({
      human: 'Now I am Ann, {{greeting}}',
      notes: 'Nothing yet',
      diary: 'Today',
      plans: 'For Ann',
    })
    expect(agent.blocks[0].id).toBe(before.blocks[0].id)
    for (const block of agent.blocks) expect(block.deployment_id).toBe(deployed.deploymentId)
  })

  test('keeps the values, folders and secrets it is told to keep', async () => {
    const deployed = await start()
    const before = await read(deployed.agentId)
    const { folder } = await editAll(deployed)
    await write(deployed, { human: 'I am someone else' })
    await save(deployed, {
      migrate_agents: true,
      preserve_core_memories_on_migration: true,
      preserve_sources_on_migration: true,
      preserve_environment_variables_on_migration: true,
    })
    const agent = await read(deployed.agentId)
    expect(agent.system).toBe('Two')
    expect(valuesOf(agent)).toMatchObject({ human: 'I am someone else', plans: 'For Ann' })
    expect(agent.sources.map(({ id }: { id: string }) => id)).toEqual([before.sources[0].id, folder])
    expect(agent.secrets).toMatchObject([
      { key: 'NAMED', value: 'a' },
      { key: 'EXTRA', value: 'b' },
    ])
  })

  test('deletes the template’s blocks that are gone, when told to, and none that came from elsewhere', async () => {
    const deployed = await start()
    const notes = (await read(deployed.agentId)).blocks[1]
    const own = (await alice.post('/v1/blocks/', { label: 'plans', value: 'My own' })).body
    await alice.patch(`/v1/agents/${deployed.agentId}/core-memory/blocks/attach/${own.id}`)
    await editAll(deployed)
    await save(deployed, { migrate_agents: true, block_reconciliation_strategy: 'reconcile-all' })
    const agent = await read(deployed.agentId)
    // A block of the agent's own keeps its label to itself.
    expect(valuesOf(agent)).toEqual({
      human: 'Now I am Ann, {{greeting}}',
      diary: 'Dear diary',
      plans: 'My own',
    })
    expect((await alice.get(`/v1/blocks/${notes.id}`)).status).toBe(404)
  })

  test('migrates all agents or none, and is not saved when it fails', async () => {
    const deployed = await start()
    const second = (await alice.post(`/v1/templates/${deployed.name}/agents`, { memory_variables: { who: 'B' } })).body
    const bad = (
      await alice.post(`/v1/templates/${deployed.name}/agents`, { memory_variables: { who: 'x'.repeat(60) } })
    ).body
    const ids = [deployed.agentId, ...second.agent_ids, ...bad.agent_ids]
    const before = await Promise.all(ids.map(read))
    await edit(deployed, ({ blocks }) => {
      blocks[0].limit = 20
    })
    const failed = await save(deployed, { migrate_agents: true })
    expect([failed.status, failed.body.errors[0].field]).toEqual([422, 'memory_variables'])
    expect(await Promise.all(ids.map(read))).toEqual(before)
    expect((await alice.get(`${deployed.base}/versions`)).body.total_count).toBe(1)
    await alice.delete(`/v1/agents/${bad.agent_ids[0]}`)
    expect((await save(deployed, { migrate_agents: true })).body.latest_version).toBe('2')
    const after = await Promise.all(ids.slice(0, 2).map(read))
    expect(after.map((agent) => agent.blocks[0].limit)).toEqual([20, 20])
  })

  test('touches no agent that only says it is of this template, and none of another organization', async () => {
    const deployed = await start()
    const { base_template_id, deployment_id } = await read(deployed.agentId)
    const posing = { name: 'Posing', base_template_id, deployment_id, system: 'His own' }
    const his = (await server.bob.post('/v1/agents/', posing)).body
    const loose = (await alice.post('/v1/agents/', { ...posing, deployment_id: null })).body
    await editAll(deployed)
    await save(deployed, { migrate_agents: true })
    expect((await server.bob.get(`/v1/agents/${his.id}`)).body.system).toBe('His own')
    expect((await read(loose.id)).system).toBe('His own')
  })

  test('loses nothing when agents are made and changed meanwhile', async () => {
    const deployed = await start()
    await edit(deployed, ({ agents }) => {
      agents[0].systemPrompt = 'Two'
    })
    const replies = await Promise.all([
      save(deployed, { migrate_agents: true }),
      ...Array.from({ length: 5 }, () => alice.post(`/v1/templates/${deployed.name}:1/agents`, {})),
      ...Array.from({ length: 5 }, (_, n) => alice.patch(`/v1/agents/${deployed.agentId}`, { name: `Name ${n}` })),
      save(deployed, { migrate_agents: true }),
    ])
    expect(replies.map(({ status }) => status).filter((status) => status >= 300)).toEqual([])
    const agent = await read(deployed.agentId)
    expect(agent.system).toBe('Two')
    expect(agent.name).toMatch(/^Name \d$/)
  })
})

describe('migrating a deployment', () => {
  test('brings its agents to the version named, back too, with new variables beside the old', async () => {
    const deployed = await start()
    const other = (await alice.post(`/v1/templates/${deployed.name}/agents`, {})).body
    await editAll(deployed)
    await save(deployed, {})
    const migrate = (body: object) => alice.post(`${deployed.base}/deployments/${deployed.deploymentId}/migrate`, body)
    const reply = await migrate({ version: 'latest', memory_variables: { greeting: 'hello' } })
    expect([reply.status, reply.body]).toEqual([200, { success: true }])
    expect(valuesOf(await read(deployed.agentId)).human).toBe('Now I am Ann, hello')
    const variables = (await alice.get(`/v1/agents/${deployed.agentId}/core-memory/variables`)).body
    expect(variables).toEqual({ variables: { who: 'Ann', greeting: 'hello' } })
    expect((await read(other.agent_ids[0])).system).toBe('One')

    await migrate({ version: '1' })
    const back = await read(deployed.agentId)
    expect([back.system, valuesOf(back).human]).toEqual(['One', 'I am Ann'])
  })

  test('is a 404 for a deployment or version there is none of, to the organization that asks', async () => {
    const deployed = await start()
    const other = await start()
    const migrate = (id: string, version: string, client = alice) =>
      client.post(`${deployed.base}/deployments/${id}/migrate`, { version })
    expect((await migrate(other.deploymentId, '1')).status).toBe(404)
    expect((await migrate(deployed.deploymentId, '2')).status).toBe(404)
    expect((await migrate(deployed.deploymentId, '1', server.bob)).status).toBe(404)
    expect((await migrate(deployed.deploymentId, 'dev')).status).toBe(422)
    expect((await migrate('nonsense', '1')).status).toBe(422)
  })
})

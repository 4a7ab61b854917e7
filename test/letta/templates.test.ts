import Letta from '@letta-ai/letta-client'
import { describe, expect, test } from 'vitest'
import { all, refused, useLetta } from './client.ts'

const server = useLetta()

const VALUE = 'letta_v1_agent, svc_core'

/** A template of an agent with a block of variables. */
async function makeTemplate(client: Letta, name: string) {
  const { id } = await client.agents.create({
    name: 'Original',
    agent_type: 'letta_v1_agent',
    memory_blocks: [{ label: 'human', value: `Name: {{name}}, ${VALUE}` }],
    secrets: { TOKEN: 'very secret' },
  })
  return { agent_id: id, template: await client.templates.create({ type: 'agent', agent_id: id, name }) }
}

describe('templates of the SDK', () => {
  test('are made of an agent, and agents of them', async () => {
    const { alice, bob } = server
    const { template } = await makeTemplate(alice, 'support')
    expect(template).toEqual({
      id: expect.stringMatching(/^template-.{36}$/),
      name: 'support',
      project_id: expect.stringMatching(/^project-/),
      project_slug: 'default-project',
      latest_version: '1',
      template_deployment_slug: 'default-project/support:1',
      updated_at: expect.stringMatching(/Z$/),
    })
    const deployed = await alice.templates.agents.create('support:1', {
      agent_name: 'For Ann',
      memory_variables: { name: 'Ann' },
      tool_variables: { TOKEN: 'hers' },
      tags: ['letta_core'],
      initial_message_sequence: [{ role: 'user', content: 'svc_core' }],
    })
    expect(deployed).toMatchObject({
      agent_ids: [expect.any(String)],
      deployment_id: expect.any(String),
      group_id: null,
    })
    const include: Letta.AgentRetrieveParams['include'] = ['agent.blocks', 'agent.tags', 'agent.secrets']
    expect(await alice.agents.retrieve(deployed.agent_ids[0]!, { include })).toMatchObject({
      name: 'For Ann',
      agent_type: 'letta_v1_agent',
      blocks: [{ label: 'human', value: `Name: Ann, ${VALUE}` }],
      secrets: [{ key: 'TOKEN', value: 'hers' }],
      tags: ['letta_core'],
      base_template_id: template.id,
      deployment_id: deployed.deployment_id,
    })
    expect(await all(alice.agents.list({ base_template_id: template.id }))).toMatchObject([
      { id: deployed.agent_ids[0] },
    ])
    await refused(bob.templates.agents.create('support:1'), Letta.NotFoundError, /support/)
    await refused(alice.templates.agents.create('support:9'), Letta.NotFoundError, /9/)
  })

  test('are saved as versions, migrated to their agents, rolled back, and deleted', async () => {
    const { alice, bob } = server
    const { template } = await makeTemplate(alice, 'versions')
    const { agent_ids } = await alice.templates.agents.create('versions:latest', {
      agent_name: 'For Ann',
      memory_variables: { name: 'Ann' },
    })
    const saved = await alice.templates.save('versions', {
      message: 'letta_core',
      migrate_agents: true,
      preserve_core_memories_on_migration: true,
      block_reconciliation_strategy: 'preserve-deleted',
    })
    expect(saved).toMatchObject({ id: template.id, latest_version: '2', name: 'versions' })
    expect((await alice.agents.retrieve(agent_ids[0]!)).agent_type).toBe('letta_v1_agent')
    expect(await alice.templates.rollback('versions', { version: '1' })).toMatchObject({ success: true })
    await refused(alice.templates.rollback('versions', { version: '7' }), Letta.NotFoundError, /7/)
    await refused(
      alice.templates.rollback('versions', { version: 'current' }),
      Letta.UnprocessableEntityError,
      /version/,
    )
    await refused(
      alice.templates.create({ type: 'agent', agent_id: agent_ids[0]!, name: 'versions' }),
      Letta.ConflictError,
      /already/,
    )
    await refused(bob.templates.save('versions'), Letta.NotFoundError, /versions/)
    await refused(bob.templates.rollback('versions', { version: '1' }), Letta.NotFoundError, /versions/)
    await refused(bob.templates.delete('versions'), Letta.NotFoundError, /versions/)
    expect(await alice.templates.delete('versions')).toEqual({ success: true })
    await refused(alice.templates.delete('versions'), Letta.NotFoundError, /versions/)
    expect((await alice.agents.retrieve(agent_ids[0]!)).name).toBe('For Ann')
  })

  test('are made of agent files; a file without an agent is refused and changes nothing', async () => {
    const { alice, bob } = server
    const { agent_id } = await makeTemplate(alice, 'files')
    const agent_file = (await alice.agents.exportFile(agent_id)) as unknown as Record<string, unknown>
    expect(await bob.templates.create({ type: 'agent_file', agent_file, name: 'filed' })).toMatchObject({
      name: 'filed',
      latest_version: '1',
    })
    await refused(
      alice.templates.create({ type: 'agent_file', agent_file: { agents: [] } }),
      Letta.UnprocessableEntityError,
      /agent_file/,
    )
    const change = { agent_file_json: { agents: [] }, save_existing_changes: true }
    await refused(alice.templates.update('files', change), Letta.UnprocessableEntityError, /agent_file_json/)
    expect(await alice.templates.save('files')).toMatchObject({ latest_version: '2' })
  })

  test('belong to the project of the client', async () => {
    const { alice } = server
    const project = await alice.post<{ id: string; slug: string }>('/v1/projects', { body: { name: 'Elsewhere' } })
    const { agent_id } = await makeTemplate(alice, 'of-projects')
    for (const options of [{ projectID: project.id }, { project: project.slug }]) {
      const elsewhere = alice.withOptions(options)
      const body = { type: 'agent', agent_id, name: 'of-projects' } as const
      const made = await elsewhere.templates.create(body)
      expect(made).toMatchObject({ project_id: project.id, project_slug: 'elsewhere' })
      await elsewhere.templates.delete('of-projects')
    }
    expect((await alice.templates.save('of-projects')).project_slug).toBe('default-project')
  })
})

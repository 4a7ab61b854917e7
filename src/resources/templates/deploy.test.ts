import { describe, expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'
import { deploy, edit, fresh, makeAgent, makeTemplate, readAgent, valuesOf } from '../../../test/templates.ts'

const server = useTestServer()

describe('an agent made from a template', () => {
  test('is what the template is, says where it is from, and has its own variables, tags, secrets and messages', async () => {
    const { alice } = server
    const identity = (
      await alice.post('/v1/identities/', { identifier_key: fresh(), name: 'Ann', identity_type: 'user' })
    ).body
    const template = await makeTemplate(alice)
    const made = await deploy(alice, `${template.name}:latest`, {
      agent_name: 'For Ann',
      tags: ['ann', 'support'],
      memory_variables: { name: 'Ann $& {{plan}}', plan: 'gold' },
      tool_variables: { API_TOKEN: 'hers' },
      identity_ids: [identity.id],
      initial_message_sequence: [{ role: 'user', content: 'Hello' }],
    })
    expect(made).toEqual({
      agent_ids: [expect.stringMatching(/^agent-/)],
      deployment_id: expect.stringMatching(/^deployment-.{36}$/),
      group_id: null,
    })
    const agent = await readAgent(alice, made.agent_ids[0])
    expect(agent).toMatchObject({
      name: 'For Ann',
      system: 'Be kind.',
      description: 'The first of them',
      tags: ['support', 'ann'],
      model: 'anthropic/claude-sonnet-4-5',
      model_settings: { provider_type: 'anthropic', temperature: 0.5 },
      compaction_settings: { mode: 'all', clip_chars: 1000 },
      response_format: { type: 'text' },
      metadata: { tier: 'gold', none: null },
      timezone: 'Europe/Paris',
      max_files_open: 3,
      tool_rules: [{ type: 'requires_approval', tool_name: 'conversation_search' }],
      project_id: template.project_id,
      template_id: expect.stringMatching(/^template_version-/),
      base_template_id: template.id,
      deployment_id: made.deployment_id,
      entity_id: expect.stringMatching(/^entity-/),
      identity_ids: [identity.id],
    })
    expect(agent.tools.map(({ name }: { name: string }) => name)).toEqual(['conversation_search'])
    expect(agent.secrets).toMatchObject([{ key: 'API_TOKEN', value: 'hers' }])
    expect(agent.message_ids).toHaveLength(2)
    // What is filled in is not looked at again.
    expect(valuesOf(agent)).toEqual({ human: 'Name: Ann $& {{plan}}, plan: gold', persona: 'I help.' })
    for (const block of agent.blocks) {
      expect(block).toMatchObject({
        template_id: agent.template_id,
        base_template_id: template.id,
        deployment_id: made.deployment_id,
        entity_id: expect.stringMatching(/^entity-/),
        is_template: false,
      })
    }
    expect(agent.blocks[0]).toMatchObject({ limit: 200, description: 'Who it is', tags: ['a'] })
    expect(agent.blocks[1]).toMatchObject({ read_only: true })

    const url = `/v1/agents/${agent.id}/core-memory/variables`
    expect((await alice.get(url)).body).toEqual({ variables: { name: 'Ann $& {{plan}}', plan: 'gold' } })
    expect((await server.bob.get(url)).status).toBe(404)
    const listed = (await alice.get(`/v1/agents/?base_template_id=${template.id}`)).body
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([agent.id])
  })

  test('keeps a variable as it stands where nothing is given, and has none where it was made without a template', async () => {
    const { alice } = server
    const template = await makeTemplate(alice)
    const { agent_ids } = await deploy(alice, template.name, { memory_variables: { plan: '' } })
    expect(valuesOf(await readAgent(alice, agent_ids[0])).human).toBe('Name: {{name}}, plan: ')
    const bare = await alice.post(`/v1/templates/${template.name}:1/agents`, null)
    expect(bare.status).toBe(200)
    const { id } = await makeAgent(alice)
    expect((await alice.get(`/v1/agents/${id}/core-memory/variables`)).body).toEqual({ variables: {} })
  })

  test('gets the default of a variable where the template has one', async () => {
    const { alice } = server
    const template = await makeTemplate(alice)
    await edit(alice, template, ({ agents }) => {
      agents[0].memoryVariables.data[1].defaultValue = 'free'
    })
    await alice.post(`/v1/templates/${template.name}/save`)
    const value = async (memory_variables: object) => {
      const { agent_ids } = await deploy(alice, template.name, { memory_variables })
      return valuesOf(await readAgent(alice, agent_ids[0])).human
    }
    expect(await value({ name: 'A' })).toBe('Name: A, plan: free')
    expect(await value({ name: 'A', plan: 'gold' })).toBe('Name: A, plan: gold')
  })

  test('is of the version that was asked for', async () => {
    const { alice } = server
    const template = await makeTemplate(alice)
    await edit(alice, template, ({ agents }) => {
      agents[0].systemPrompt = 'Two'
    })
    const prompt = async (version: string) => {
      const { agent_ids } = await deploy(alice, `${template.name}${version}`)
      return (await readAgent(alice, agent_ids[0])).system
    }
    expect(await prompt('')).toBe('Be kind.')
    await alice.post(`/v1/templates/${template.name}/save`, {})
    expect([await prompt(':1'), await prompt(':2'), await prompt(':latest')]).toEqual(['Be kind.', 'Two', 'Two'])
    expect((await alice.post(`/v1/templates/${template.name}:3/agents`, {})).status).toBe(404)
    expect((await alice.post(`/v1/templates/${template.name}:x/agents`, {})).status).toBe(422)
  })

  test('is all there or not at all', async () => {
    const { alice, bob } = server
    const template = await makeTemplate(alice)
    const count = async () => (await alice.get('/v1/agents/count')).body + (await alice.get('/v1/blocks/count')).body
    const before = await count()
    const his = (await bob.post('/v1/identities/', { identifier_key: 'x', name: 'x', identity_type: 'user' })).body
    const url = `/v1/templates/${template.name}/agents`
    expect((await alice.post(url, { identity_ids: [his.id] })).status).toBe(404)
    const long = await alice.post(url, { memory_variables: { name: 'x'.repeat(200) } })
    expect([long.status, long.body.errors]).toEqual([
      422,
      [{ in: 'body', field: 'memory_variables', message: expect.stringContaining('limit of 200') }],
    ])
    expect((await alice.post(url, { memory_variables: { name: 5 } })).status).toBe(422)
    expect((await bob.post(url, {})).status).toBe(404)
    expect(await count()).toBe(before)
  })

  test('cannot be made to fill the memory of the server', async () => {
    const { alice } = server
    const value = '{{a}}'.repeat(100_000)
    const template = await makeTemplate(alice, { memory_blocks: [{ label: 'a', value, limit: 2_000_000_000 }] })
    const a = 'x'.repeat(500_000)
    const reply = await alice.post(`/v1/templates/${template.name}/agents`, { memory_variables: { a } })
    expect([reply.status, reply.body.errors[0].field]).toEqual([422, 'memory_variables'])
  })

  test('lacks a tool, folder or identity that was deleted since, and the rules for it', async () => {
    const { alice } = server
    const tool = (
      await alice.post('/v1/tools/', { source_code: '#', json_schema: { name: fresh().replace('-', '_') } })
    ).body
    const folder = (await alice.post('/v1/folders/', { name: fresh() })).body
    const template = await makeTemplate(alice, {
      tools: [],
      tool_ids: [tool.id],
      folder_ids: [folder.id],
      tool_rules: [{ type: 'run_first', tool_name: tool.name }],
    })
    const whole = await readAgent(alice, (await deploy(alice, template.name)).agent_ids[0])
    expect([whole.sources.length, whole.tool_rules.length]).toEqual([1, 1])
    await alice.delete(`/v1/tools/${tool.id}`)
    await alice.delete(`/v1/folders/${folder.id}`)
    const agent = await readAgent(alice, (await deploy(alice, template.name)).agent_ids[0])
    expect([agent.sources, agent.tool_rules ?? []]).toEqual([[], []])
    expect(JSON.stringify(agent)).not.toContain(tool.id)
  })
})

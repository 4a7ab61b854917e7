import { describe, expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'
import { edit, fresh, makeTemplate, snapshotUrl } from '../../../test/templates.ts'

const server = useTestServer()

describe('versions', () => {
  test('are numbered, keep what they held and their message, and are listed newest first', async () => {
    const { alice } = server
    const template = await makeTemplate(alice)
    await edit(alice, template, ({ agents }) => {
      agents[0].systemPrompt = 'Be brief.'
    })
    const saved = await alice.post(`/v1/templates/${template.name}/save`, { message: 'Shorter' })
    expect([saved.status, saved.body]).toEqual([
      200,
      {
        ...template,
        latest_version: '2',
        template_deployment_slug: `default-project/${template.name}:2`,
        updated_at: expect.any(String),
      },
    ])
    const unchanged = await alice.post(`/v1/templates/${template.project_id}/${template.name}`, {})
    expect(unchanged.body.latest_version).toBe('3')

    const prompt = async (version: string) =>
      (await alice.get(snapshotUrl(template, version))).body.agents[0].systemPrompt
    expect([await prompt(':1'), await prompt(':2'), await prompt(':3'), await prompt('')]).toEqual([
      'Be kind.',
      'Be brief.',
      'Be brief.',
      'Be brief.',
    ])
    const url = `/v1/templates/${template.project_id}/${template.name}/versions`
    const { versions, ...rest } = (await alice.get(url)).body
    expect(rest).toEqual({ has_next_page: false, total_count: 3 })
    expect(versions).toEqual([
      { version: '3', created_at: expect.any(String), is_latest: true },
      { version: '2', created_at: expect.any(String), is_latest: false, message: 'Shorter' },
      { version: '1', created_at: expect.any(String), is_latest: false },
    ])
    const page = (await alice.get(`${url}?limit=1&offset=1`)).body
    expect([page.versions[0].version, page.has_next_page, page.total_count]).toEqual(['2', true, 3])
    expect((await alice.get(snapshotUrl(template, ':4'))).status).toBe(404)
    expect((await alice.get(snapshotUrl(template, ':0'))).status).toBe(422)
  })

  test('never change once they are saved', async () => {
    const { alice } = server
    const template = await makeTemplate(alice)
    const before = (await alice.get(snapshotUrl(template, ':1'))).body
    const direct = await alice.call('PUT', snapshotUrl(template, ':1'), before)
    expect([direct.status, direct.body.errors[0].field]).toEqual([422, 'template_version'])
    await edit(alice, template, (snapshot) => {
      snapshot.blocks[0].value = 'changed'
      snapshot.agents[0].toolIds = []
    })
    await alice.post(`/v1/templates/${template.name}/save`, {})
    expect((await alice.get(snapshotUrl(template, ':1'))).body).toEqual(before)
  })

  test('are gone back to, and what was unsaved is saved before', async () => {
    const { alice } = server
    const template = await makeTemplate(alice)
    const rollback = (version: unknown) => alice.post(`/v1/templates/${template.name}/rollback`, { version })
    const current = async () => (await alice.get(snapshotUrl(template, ':current'))).body.agents[0].systemPrompt
    const set = (text: string) =>
      edit(alice, template, ({ agents }) => {
        agents[0].systemPrompt = text
      })
    await set('Two')
    await alice.post(`/v1/templates/${template.name}/save`, {})

    expect((await rollback('1')).body).toEqual({ success: true, message: 'Rolled back to version 1.' })
    expect(await current()).toBe('Be kind.')
    // Nothing was changed since: nothing is saved.
    expect((await rollback('latest')).body).toEqual({ success: true, message: 'Rolled back to version 2.' })
    expect(await current()).toBe('Two')
    await set('Unsaved')
    expect((await rollback('latest')).body).toEqual({
      success: true,
      message: 'Unsaved changes are version 3; rolled back to version 2.',
    })
    expect(await current()).toBe('Two')
    expect((await alice.get(snapshotUrl(template, ':3'))).body.agents[0].systemPrompt).toBe('Unsaved')

    for (const version of ['current', 'dev', '0', 'x', '', 1, null]) {
      expect([version, (await rollback(version)).status]).toEqual([version, 422])
    }
    expect((await rollback('9')).status).toBe(404)
    expect((await server.bob.post(`/v1/templates/${template.name}/rollback`, { version: '1' })).status).toBe(404)
  })

  test('are saved one after the other, however many save at once', async () => {
    const { alice } = server
    const template = await makeTemplate(alice)
    const saves = Array.from({ length: 12 }, () => alice.post(`/v1/templates/${template.name}/save`, {}))
    const numbers = (await Promise.all(saves)).map(({ body }) => Number(body.latest_version))
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n + 2))
  })

  test('can become templates of their own', async () => {
    const { alice } = server
    const template = await makeTemplate(alice)
    await edit(alice, template, ({ agents }) => {
      agents[0].systemPrompt = 'Two'
    })
    await alice.post(`/v1/templates/${template.name}/save`, {})
    const name = fresh()
    const url = `/v1/templates/${template.project_id}/${template.name}`
    const fork = await alice.post(`${url}:1/fork`, { name })
    expect([fork.status, fork.body.name, fork.body.latest_version]).toEqual([200, name, '1'])
    expect(fork.body.id).not.toBe(template.id)
    expect((await alice.get(snapshotUrl(fork.body))).body.agents[0].systemPrompt).toBe('Be kind.')
    expect((await alice.post(`${url}:2/fork`, { name })).status).toBe(409)
  })
})

describe('a snapshot', () => {
  test('tells what the agent was, and set again changes nothing', async () => {
    const { alice } = server
    const template = await makeTemplate(alice, { enable_sleeptime: false, hidden: false })
    const { body } = await alice.get(snapshotUrl(template, ':current'))
    expect(body).toMatchObject({ type: 'classic', version: 'current' })
    expect(body.agents).toEqual([
      {
        entityId: expect.stringMatching(/^entity-/),
        name: 'Original',
        agentType: 'svc_v1_agent',
        model: 'anthropic/claude-sonnet-4-5',
        systemPrompt: 'Be kind.',
        tags: ['support'],
        toolIds: [expect.stringMatching(/^tool-/)],
        sourceIds: [],
        identityIds: [],
        toolRules: [{ type: 'requires_approval', tool_name: 'conversation_search' }],
        memoryVariables: {
          version: '1',
          data: [
            { key: 'name', type: 'string' },
            { key: 'plan', type: 'string' },
          ],
        },
        toolVariables: { version: '1', data: [{ key: 'API_TOKEN', type: 'string' }] },
        properties: {
          context_window_limit: 128_000,
          max_files_open: 3,
          message_buffer_autoclear: false,
          per_file_view_window_char_limit: 25_000,
          temperature: 0.5,
        },
      },
    ])
    expect(body.blocks).toMatchObject([
      { label: 'human', value: 'Name: {{name}}, plan: {{ plan }}', limit: 200, description: 'Who it is' },
      { label: 'persona', value: 'I help.', readOnly: true },
    ])
    await edit(alice, template, () => {})
    const message = (await alice.post(`/v1/templates/${template.name}/rollback`, { version: '1' })).body.message
    expect(message).toBe('Rolled back to version 1.')
  })

  test('is refused with all that is wrong with it', async () => {
    const { alice } = server
    const template = await makeTemplate(alice)
    const { body } = await alice.get(snapshotUrl(template))
    const put = async (change: object) => {
      const reply = await alice.call('PUT', snapshotUrl(template, ':dev'), { ...body, ...change })
      return [reply.status, reply.body.errors?.map(({ field }: { field: string }) => field)]
    }
    const [agent] = body.agents
    const [block] = body.blocks
    expect(await put({ agents: [] })).toEqual([422, ['agents']])
    expect(await put({ agents: [agent, agent] })).toEqual([422, ['agents']])
    expect(await put({ type: 'sleeptime' })).toEqual([422, ['type']])
    const blocks = [block, { ...block, value: 'x'.repeat(201) }]
    expect(await put({ blocks, relationships: [] })).toEqual([
      422,
      ['blocks[1].label', 'blocks[1].entityId', 'blocks[1].value'],
    ])
    expect(await put({ relationships: [{ agentEntityId: 'x', blockEntityId: 'y' }] })).toEqual([
      422,
      ['relationships[0]'],
    ])
    const secret = { version: '1', data: [{ key: 'K', type: 'string', defaultValue: 'v' }] }
    expect((await put({ agents: [{ ...agent, toolVariables: secret }] }))[0]).toBe(422)
    expect((await put({ agents: [{ ...agent, model: 'nobody/knows' }] }))[0]).toBe(422)
    expect((await put({ agents: [{ ...agent, toolRules: [{ type: 'run_first', tool_name: 'none' }] }] }))[0]).toBe(422)
    const foreign = (await server.bob.get('/v1/tools/?limit=1')).body[0].id
    expect((await put({ agents: [{ ...agent, toolIds: [foreign] }] }))[0]).toBe(404)
    expect((await alice.get(snapshotUrl(template, ':current'))).body).toEqual({ ...body, version: 'current' })
  })
})

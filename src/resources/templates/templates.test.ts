import { describe, expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'
import { deploy, fresh, makeAgent, makeTemplate, readAgent, snapshotUrl } from '../../../test/templates.ts'

const server = useTestServer()

describe('a template', () => {
  test('of an agent is made with its first version, in the default project unless another is named', async () => {
    const { alice } = server
    const template = await makeTemplate(alice)
    expect(template).toEqual({
      id: expect.stringMatching(/^template-.{36}$/),
      name: template.name,
      project_id: expect.stringMatching(/^project-/),
      project_slug: 'default-project',
      latest_version: '1',
      template_deployment_slug: `default-project/${template.name}:1`,
      updated_at: expect.stringMatching(/Z$/),
    })
    const again = await makeTemplate(alice)
    expect(again.project_id).toBe(template.project_id)

    const project = (await alice.post('/v1/projects/', { name: 'Elsewhere' })).body
    for (const headers of [{ 'x-project-id': project.id }, { 'x-project': project.slug }]) {
      expect(await makeTemplate(alice, {}, headers)).toMatchObject({
        project_id: project.id,
        project_slug: 'elsewhere',
      })
    }
    expect((await alice.delete(`/v1/projects/${project.id}`)).status).toBe(409)
  })

  test('gets a name where none is given, and refuses one that is taken, malformed or reserved', async () => {
    const { alice, bob } = server
    const agent_id = (await makeAgent(alice)).id
    const post = (name?: unknown) => alice.post('/v1/templates/', { type: 'agent', agent_id, name })
    const [one, two] = [await post(), await post(null)]
    expect(one.body.name).toMatch(/^[a-zA-Z0-9_-]+$/)
    expect(two.body.name).not.toBe(one.body.name)
    const taken = await post(one.body.name)
    expect([taken.status, taken.headers['x-should-retry']]).toEqual([409, 'false'])
    for (const name of ['two words', 'a:1', 'é', '', 'save', 'agents', 'rollback', 'x'.repeat(201)]) {
      expect([name, (await post(name)).status]).toEqual([name, 422])
    }
    const his = (await makeAgent(bob)).id
    expect((await bob.post('/v1/templates/', { type: 'agent', agent_id: his, name: one.body.name })).status).toBe(200)
    expect((await bob.post('/v1/templates/', { type: 'agent', agent_id })).status).toBe(404)
  })

  test('of an agent file holds what the file’s agent has, and leaves no agent behind', async () => {
    const { alice, bob } = server
    const block = { label: 'human', value: 'Name: {{name}}' }
    const source = await alice.post('/v1/agents/', {
      name: 'Filed',
      memory_blocks: [block],
      tags: ['filed'],
      secrets: { TOKEN: 'hush' },
    })
    const { body: agent_file } = await alice.get(`/v1/agents/${source.body.id}/export`)
    const held = async () => [(await bob.get('/v1/agents/count')).body, (await bob.get('/v1/blocks/count')).body]
    const before = await held()
    const made = await bob.post('/v1/templates/', { type: 'agent_file', agent_file, name: 'filed' })
    expect(made.status).toBe(200)
    expect(await held()).toEqual(before)
    const deployed = await bob.post('/v1/templates/filed:1/agents', { memory_variables: { name: 'Ann' } })
    const agent = await bob.get(`/v1/agents/${deployed.body.agent_ids[0]}?include=agent.blocks&include=agent.tags`)
    expect(agent.body).toMatchObject({ system: source.body.system, tags: ['filed'] })
    expect(agent.body.blocks).toMatchObject([{ label: 'human', value: 'Name: Ann' }])

    const agent_file_json = structuredClone(agent_file)
    agent_file_json.agents[0].system = 'You are another.'
    const changed = await bob.patch('/v1/templates/filed', { agent_file_json, save_existing_changes: true })
    expect([changed.status, changed.body]).toEqual([200, { success: true }])
    expect((await bob.post('/v1/templates/filed/save', {})).status).toBe(200)
    const next = await bob.post('/v1/templates/filed:latest/agents', {})
    expect((await bob.get(`/v1/agents/${next.body.agent_ids[0]}`)).body.system).toBe('You are another.')
  })

  test('of an agent file that can’t be read is refused with every place that is wrong, and nothing is changed', async () => {
    const { alice } = server
    const fields = (reply: { body: { errors: { field: string }[] } }) => reply.body.errors.map(({ field }) => field)
    const none = await alice.post('/v1/templates/', { type: 'agent_file', agent_file: { agents: [] } })
    expect([none.status, fields(none)]).toEqual([422, ['agent_file.agents']])
    const template = await makeTemplate(alice)
    const agent_file_json = { agents: [{ id: 'agent-0', name: 7 }] }
    const bad = await alice.patch(`/v1/templates/${template.name}`, { agent_file_json, save_existing_changes: true })
    expect(bad.status).toBe(422)
    expect(fields(bad)).toContain('agent_file_json.agents[0].name')
    expect((await alice.get(`/v1/templates/?name=${template.name}&exact=true`)).body.templates).toEqual([template])
  })

  test('never holds the value of a secret, nor does its history', async () => {
    const { alice } = server
    const template = await makeTemplate(alice, { secrets: { API_TOKEN: 'a value to be kept from all' } })
    const { body } = await alice.get(snapshotUrl(template))
    expect(body.agents[0].toolVariables).toEqual({ version: '1', data: [{ key: 'API_TOKEN', type: 'string' }] })
    const { rows } = await server.database.kysely
      .selectFrom('template_versions')
      .selectAll()
      .execute()
      .then((rows) => ({ rows: JSON.stringify(rows) }))
    expect(rows).toContain('API_TOKEN')
    expect(rows).not.toContain('a value to be kept from all')
  })

  test('is found by part of its name or exactly, by its description, its project, its id and its version', async () => {
    const { bob } = server
    const agent_id = (await makeAgent(bob)).id
    const make = async (name: string, headers?: Record<string, string>) =>
      (await bob.post('/v1/templates/', { type: 'agent', agent_id, name }, headers)).body
    const project = (await bob.post('/v1/projects/', { name: 'Search' })).body
    const first = await make('Find_me')
    const second = await make('find-me-too', { 'x-project-id': project.id })
    const third = await make('other')
    await bob.post('/v1/templates/Find_me/save', {})
    await bob.patch(`/v1/templates/${third.project_id}/other/description`, { description: '100% FIND it' })
    const list = async (query: string, headers?: Record<string, string>) => {
      const { body } = await bob.get(`/v1/templates/?sort_by=created_at&${query}`, headers)
      return body.templates.map(({ name }: { name: string }) => name).filter((name: string) => /find|other/i.test(name))
    }
    expect(await list('')).toEqual(['other', 'find-me-too', 'Find_me'])
    expect(await list('name=FIND')).toEqual(['find-me-too', 'Find_me'])
    expect(await list('name=d_m')).toEqual(['Find_me'])
    expect(await list('name=find-me&exact=true')).toEqual([])
    expect(await list('name=Find_me&exact=true')).toEqual(['Find_me'])
    expect(await list('search=0%25%20find')).toEqual(['other'])
    expect(await list('search=find')).toEqual(['other', 'find-me-too', 'Find_me'])
    expect(await list(`template_id=${second.id}`)).toEqual(['find-me-too'])
    expect(await list(`project_id=${project.id}`)).toEqual(['find-me-too'])
    expect(await list(`project_slug=${project.slug}`)).toEqual(['find-me-too'])
    expect(await list('', { 'x-project': project.slug })).toEqual(['find-me-too'])
    expect(await list('version=2')).toEqual(['Find_me'])
    const [whole] = (await bob.get('/v1/templates/?version=1&name=Find_me&exact=true')).body.templates
    expect(whole).toMatchObject({ latest_version: '2', template_deployment_slug: 'default-project/Find_me:1' })
    const page = (await bob.get('/v1/templates/?limit=1&offset=1&sort_by=created_at')).body
    expect([page.templates.length, page.has_next_page]).toEqual([1, true])
    const changed = (await bob.get('/v1/templates/?limit=1')).body.templates
    expect(changed[0].name).toBe('other')
    expect(first.id).not.toBe(second.id)
  })

  test('is renamed and described with all its versions; a taken name is a final 409', async () => {
    const { alice } = server
    const [one, two] = [await makeTemplate(alice), await makeTemplate(alice)]
    const rename = (name: string, new_name: string) =>
      alice.patch(`/v1/templates/${one.project_id}/${name}/name`, { new_name })
    const clash = await rename(one.name, two.name)
    expect([clash.status, clash.headers['x-should-retry']]).toEqual([409, 'false'])
    const name = fresh()
    expect((await rename(`${one.name}:1`, name)).body).toEqual({ success: true })
    expect((await rename(one.name, 'anything')).status).toBe(404)
    const url = `/v1/templates/${one.project_id}/${name}/description`
    expect((await alice.patch(url, { description: 'Kind' })).status).toBe(200)
    const found = async () => (await alice.get(`/v1/templates/?template_id=${one.id}`)).body.templates[0]
    expect(await found()).toMatchObject({ name, description: 'Kind', latest_version: '1' })
    await alice.patch(url, {})
    expect(await found()).toMatchObject({ description: 'Kind' })
    await alice.patch(url, { description: null })
    expect(await found()).not.toHaveProperty('description')
    await deploy(alice, `${name}:1`)
  })

  test('is deleted with its versions; the agents made from it stay', async () => {
    const { alice, bob } = server
    const template = await makeTemplate(alice)
    const { agent_ids } = await deploy(alice, template.name)
    expect((await bob.delete(`/v1/templates/${template.name}`)).status).toBe(404)
    expect((await alice.delete(`/v1/templates/${template.name}`)).body).toEqual({ success: true })
    expect((await alice.delete(`/v1/templates/${template.name}`)).status).toBe(404)
    expect((await alice.post(`/v1/templates/${template.name}:1/agents`, {})).status).toBe(404)
    expect((await readAgent(alice, agent_ids[0])).base_template_id).toBe(template.id)
  })

  test('is held from others by If-Match, and told apart by its ETag', async () => {
    const { alice } = server
    const template = await makeTemplate(alice)
    const url = `/v1/templates/${template.name}`
    const saved = await alice.post(`${url}/save`, {})
    expect(saved.headers.etag).toMatch(/^"2/)
    const stale = await alice.delete(url, { 'if-match': '"1"' })
    expect([stale.status, stale.headers.etag]).toEqual([412, '"2"'])
    expect((await alice.delete(url, { 'if-match': saved.headers.etag! })).status).toBe(200)
  })
})

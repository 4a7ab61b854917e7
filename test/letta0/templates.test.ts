import { beforeAll, expect, test } from 'vitest'
import { MODEL, olderSdk, refused, unknown } from './client.ts'

const older = olderSdk()

let project: string
let agentId: string
beforeAll(async () => {
  project = (await older.server.alice.post('/v1/projects/', { name: 'Support desk' })).body.id
  const memoryBlocks = [{ label: 'human', value: 'This is {{who}}.' }]
  agentId = (await older.alice.agents.create({ ...MODEL, memoryBlocks, tags: ['desk'] })).id
})

test('projects are listed', async () => {
  const { alice, bob } = older
  const found = { id: project, name: 'Support desk', slug: 'support-desk' }
  expect(await alice.projects.list({ name: 'SUPPORT', offset: '0', limit: '1' })).toEqual({
    projects: [found],
    hasNextPage: false,
  })
  expect(await alice.projects.list({ offset: '1' })).toEqual({ projects: [], hasNextPage: false })
  expect(await bob.projects.list()).toEqual({ projects: [], hasNextPage: false })
})

test('a template is created, saved, described, renamed, forked, listed and deleted', async () => {
  const { templates } = older.alice
  const made = await templates.createtemplate(project, { type: 'agent', agentId, name: 'helper' })
  expect(made).toMatchObject({
    name: 'helper',
    projectId: project,
    projectSlug: 'support-desk',
    latestVersion: '1',
    templateDeploymentSlug: 'support-desk/helper:1',
  })
  await refused(templates.createtemplate(project, { type: 'agent', agentId, name: 'helper' }), 409)
  await refused(templates.createtemplate(unknown('project'), { type: 'agent', agentId }), 404)

  const saved = await templates.savetemplateversion(project, 'helper', { message: 'Second', migrateAgents: true })
  expect(saved).toMatchObject({ id: made.id, latestVersion: '2' })
  const { versions, totalCount, hasNextPage } = await templates.listtemplateversions(project, 'helper', { limit: '1' })
  expect(versions).toMatchObject([{ version: '2', message: 'Second', isLatest: true }])
  expect([totalCount, hasNextPage]).toEqual([2, true])
  const older_ = await templates.listtemplateversions(project, 'helper', { offset: '1' })
  expect(older_.versions).toMatchObject([{ version: '1', isLatest: false }])

  expect(await templates.updatetemplatedescription(project, 'helper', { description: 'Helps' })).toEqual({
    success: true,
  })
  expect(await templates.renametemplate(project, 'helper', { newName: 'aide' })).toMatchObject({ success: true })
  const fork = await templates.forktemplate(project, 'aide:1', { name: 'fork' })
  expect(fork).toMatchObject({ name: 'fork', latestVersion: '1' })
  const listed = async (request: Parameters<typeof templates.list>[0]) =>
    (await templates.list({ projectId: project, ...request })).templates.map(({ name }) => name)
  expect(await listed({ sortBy: 'created_at' })).toEqual(['fork', 'aide'])
  expect(await listed({ name: 'aide', exact: 'true' })).toEqual(['aide'])
  expect(await listed({ search: 'HELPS' })).toEqual(['aide'])
  expect(await listed({ templateId: fork.id, projectSlug: 'support-desk', version: '1' })).toEqual(['fork'])
  expect(await templates.list({ limit: '1', sortBy: 'created_at' })).toMatchObject({
    templates: [{ name: 'fork' }],
    hasNextPage: true,
  })
  expect(await listed({ offset: '1', sortBy: 'created_at' })).toEqual(['aide'])

  for (const name of ['aide', 'fork']) expect(await templates.deletetemplate(project, name)).toEqual({ success: true })
  await refused(templates.deletetemplate(project, 'aide'), 404, 'aide')
})

test('a snapshot is read and set', async () => {
  const { templates } = older.alice
  await templates.createtemplate(project, { type: 'agent', agentId, name: 'photo' })
  const snapshot = await templates.gettemplatesnapshot(project, 'photo:1')
  expect(snapshot).toMatchObject({
    type: 'classic',
    version: '1',
    agents: [{ agentType: 'letta_v1_agent', model: MODEL.model, tags: ['desk'] }],
    blocks: [{ label: 'human', value: 'This is {{who}}.' }],
  })
  const agents = snapshot.agents.map((agent) => ({ ...agent, systemPrompt: 'Be brief.' }))
  expect(await templates.setcurrenttemplatefromsnapshot(project, 'photo', { ...snapshot, agents })).toMatchObject({
    success: true,
  })
  const current = await templates.gettemplatesnapshot(project, 'photo:current')
  expect(current.agents[0]!.systemPrompt).toBe('Be brief.')
})

test('agents are made from a version, found by it and migrated', async () => {
  const { templates, agents } = older.alice
  await templates.createtemplate(project, { type: 'agent', agentId, name: 'mould' })
  const made = await templates.createagentsfromtemplate(project, 'mould:1', {
    agentName: 'Cast',
    tags: ['cast'],
    memoryVariables: { who: 'Grace' },
    toolVariables: { KEY: 'value' },
  })
  expect(made.agents).toMatchObject([
    {
      name: 'Cast',
      agentType: 'letta_v1_agent',
      tags: ['desk', 'cast'],
      deploymentId: made.deploymentId,
      memory: { blocks: [{ label: 'human', value: 'This is Grace.' }] },
      secrets: [{ key: 'KEY', value: 'value' }],
    },
  ])
  await templates.agents.create(project, 'mould:1')
  const { id } = made.agents[0]!
  expect(await agents.memoryVariables.list(id)).toEqual({ variables: { who: 'Grace' } })
  const found = async (version: string) =>
    (await agents.search({ projectId: project, search: [{ field: 'version', value: version }] })).agents.map(
      (one) => one.id,
    )
  expect(await found('mould:1')).toContain(id)
  expect(await found('support-desk/mould:1')).toContain(id)
  expect(await found('mould')).toHaveLength(2)
  expect(await found('mould:2')).toEqual([])
  expect(await found('other-desk/mould:1')).toEqual([])
  const named = await agents.search({ search: [{ field: 'templateName', operator: 'eq', value: 'mould' }] })
  expect(named.agents).toHaveLength(2)

  await templates.savetemplateversion(project, 'mould', {})
  const target = { version: '2', preserveToolVariables: true, memoryVariables: { who: 'Ada' } }
  expect(await templates.migratedeployment(project, 'mould', made.deploymentId, target)).toMatchObject({
    success: true,
  })
  expect(await found('mould:2')).toEqual([id])
  const { memory } = await agents.retrieve(id, { includeRelationships: ['memory'] })
  expect(memory.blocks).toMatchObject([{ value: 'This is Ada.' }])
})

test('agent files become templates, and replace a template’s current version', async () => {
  const { templates } = older.alice
  const agentFile = JSON.parse(await older.alice.agents.exportFile(agentId))
  const made = await templates.createtemplate(project, { type: 'agent_file', agentFile, name: 'from-file' })
  expect(made).toMatchObject({ name: 'from-file', latestVersion: '1' })
  const changed = await templates.updatecurrenttemplatefromagentfile(project, 'from-file', { agentFileJson: agentFile })
  expect(changed).toMatchObject({ success: true })
  await refused(templates.createtemplate(project, { type: 'agent_file', agentFile: { agents: [] } }), 422, 'agents')
})

test('access tokens are made, listed, used and deleted', async () => {
  const { alice, bob, server } = older
  const tokens = alice.clientSideAccessTokens
  const policy = [{ type: 'agent' as const, id: agentId, access: ['read_agent' as const] }]
  const made = await tokens.create({ policy, hostname: 'https://app.example.com' })
  expect(made).toMatchObject({ hostname: 'https://app.example.com', policy: { version: '1', data: policy } })
  const second = await tokens.create({
    policy,
    hostname: 'https://app.example.com',
    expiresAt: '2100-01-01T00:00:00.000Z',
  })
  expect(second.expiresAt).toBe('2100-01-01T00:00:00.000Z')

  const list = tokens.clientSideAccessTokensListClientSideAccessTokens.bind(tokens)
  expect(await list({ agentId, limit: 1 })).toMatchObject({
    tokens: [{ expiresAt: second.expiresAt }],
    hasNextPage: true,
  })
  const rest = await list({ agentId, offset: 1, limit: 1 })
  expect(rest).toMatchObject({ tokens: [{ expiresAt: made.expiresAt }], hasNextPage: false })
  expect(await bob.clientSideAccessTokens.clientSideAccessTokensListClientSideAccessTokens()).toMatchObject({
    tokens: [],
  })

  const url = `/letta/v1/agents/${agentId}`
  const page = (token: string) => server.client(token).get(url, { origin: 'https://app.example.com' })
  expect((await page(made.token)).status).toBe(200)
  await refused(bob.clientSideAccessTokens.delete(made.token, {}), 404)
  await tokens.delete(made.token, {})
  expect((await page(made.token)).status).toBe(401)
})

test('another tenant’s templates are a 404', async () => {
  const { alice, bob } = older
  await alice.templates.createtemplate(project, { type: 'agent', agentId, name: 'secret' })
  await refused(bob.templates.gettemplatesnapshot(project, 'secret'), 404)
  await refused(bob.templates.createagentsfromtemplate(project, 'secret', {}), 404)
  await refused(bob.templates.createtemplate(project, { type: 'agent', agentId }), 404)
  await refused(bob.templates.renametemplate(project, 'secret', { newName: 'mine' }), 404)
  expect(await bob.templates.list()).toMatchObject({ templates: [], hasNextPage: false })
})

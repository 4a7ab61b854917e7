import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { inject } from 'vitest'
import type { Database } from '../src/db/engine/database.ts'
import { newId } from '../src/lib/ids.ts'
import { FULL } from '../src/lib/permissions.ts'
import { eventsIn } from './replies.ts'
import { RESOURCE_SAMPLES } from './resource-samples.ts'
import type { Client, TestServer } from './server.ts'
import { KEY } from './stand-ins/openai.ts'

/** Prefixes of the ids that `populate` collects. */
type Kind =
  | 'access_token'
  | 'agent'
  | 'api_key'
  | 'archive'
  | 'block'
  | 'deployment'
  | 'file'
  | 'file_agent'
  | 'group'
  | 'identity'
  | 'message'
  | 'org'
  | 'passage'
  | 'project'
  | 'provider'
  | 'run'
  | 'source'
  | 'step'
  | 'template'
  | 'tool'
  | 'user'

/** The resources of an organization after `populate`. */
export interface Populated {
  organizationId: string
  /** One id of each kind, by its prefix; these resources are attached to each other. */
  one: Record<Kind, string> & Record<string, string>
  /** An agent without attachments. */
  spareAgent: string
  /** An empty folder, attached to no agent. */
  spareFolder: string
  /** A second passage of the archive. */
  sparePassage: string
  /** Another file in the folder. */
  spareFile: string
  /** An empty project. */
  spareProject: string
  /** An agent, the agent that manages its memory, and the group of both. */
  sleeptime: { agent: string; partner: string; group: string }
  /** A group that has run, and its run. */
  runner: { group: string; run: string }
  /** The groups by their type of manager, besides the sleeptime one. */
  groups: Record<'round_robin' | 'supervisor' | 'dynamic' | 'voice_sleeptime' | 'swarm', string>
  /** The resources that have a name in a path. */
  names: { folder: string; label: string; tool: string; tag: string; key: string; template: string }
  /** Every id of the organization's resources. */
  all: string[]
}

/** Sends a request and expects success. */
async function sent(client: Client, method: string, url: string, body?: unknown, headers?: Record<string, string>) {
  // With an idempotency key, so that the organization has stored responses too.
  const reply = await client.call(method, url, body, { 'idempotency-key': randomUUID(), ...headers })
  if (reply.status !== 200) throw new Error(`${method} ${url} returned ${reply.status}: ${JSON.stringify(reply.body)}`)
  return reply.body
}

/** A file that is being processed and that an agent has open: by SQL, as no request can make one. */
async function addFile(database: Database, agentId: string, folderId: string) {
  const [file, file_agent] = [newId('file'), newId('file_agent')]
  await sql`insert into files (organization_id, id, source_id, file_name, content, created_at, updated_at)
    select organization_id, ${file}, id, 'notes.txt', 'text', now(), now() from folders where id = ${folderId}
  `.execute(database.kysely)
  await sql`insert into file_parts (organization_id, file_id, position, bytes)
    select organization_id, id, 0, 'text' from files where id = ${file}`.execute(database.kysely)
  await sql`insert into files_agents
      (organization_id, id, agent_id, source_id, file_id, block_id, is_open, visible_content, created_at)
    select organization_id, ${file_agent}, ${agentId}, source_id, id, ${newId('block')}, true, 'text', now()
    from files where id = ${file}`.execute(database.kysely)
  return { file, file_agent }
}

/** Adds a call of a tool to the ledger of a step, as a tool with effects elsewhere does, and what a budget was compared with. */
async function addCall(database: Database, step: string) {
  await sql`insert into tool_calls (organization_id, step_id, call_id, run_id, kind, state, created_at)
    select organization_id, id, 'call_1', run_id, 'once', 'done', now() from steps where id = ${step}`.execute(
    database.kysely,
  )
  // No day of the past: the sweep of a slow test would delete it.
  await sql`insert into usage_days (organization_id, agent_id, api_key_id, day)
    select organization_id, agent_id, 'api_key', '2999-01-01' from steps where id = ${step}`.execute(database.kysely)
}

/** Has a tool stand for one of an MCP server, which waits for an authorization; another server has `name`, and so does its tool. */
async function addMcpTool({ kysely }: Database, { mcp_server, tool }: Record<string, string>, name: string) {
  await sql`insert into mcp_tools (organization_id, mcp_server_id, tool_id, name, definition)
    select organization_id, id, ${tool}, 'echo', '{"name": "echo", "inputSchema": {"type": "object"}}' from mcp_servers
    where id = ${mcp_server}`.execute(kysely)
  await sql`insert into mcp_authorizations (organization_id, mcp_server_id, error)
    select organization_id, id, 'It waits.' from mcp_servers where id = ${mcp_server}`.execute(kysely)
  const other = newId('mcp_server')
  await sql`insert into mcp_servers (organization_id, id, server_name, mcp_server_type, server_url, created_at, updated_at)
    select organization_id, ${other}, ${name}, mcp_server_type, server_url, created_at, updated_at from mcp_servers
    where id = ${mcp_server}`.execute(kysely)
  const definition = JSON.stringify({ name, inputSchema: { type: 'object' } })
  await sql`update mcp_tools set mcp_server_id = ${other}, name = ${name}, definition = ${definition}::json
    where mcp_server_id = ${mcp_server} and name = 'add'`.execute(kysely)
}

/**
 * Fills an organization through the API with at least one resource of each kind, all attached to each other. Every text
 * holds `name`. The client's key must hold all scopes.
 */
export async function populate(client: Client, database: Database, name: string): Promise<Populated> {
  const post = (url: string, body: object, headers?: Record<string, string>) => sent(client, 'POST', url, body, headers)
  const names = {
    folder: `${name} papers`,
    label: `${name}_human`,
    tool: `${name}_tool`,
    tag: `${name} tag`,
    key: `${name} key`,
    template: name,
  }
  const model = { model: 'openai/gpt-4o-mini', description: name }

  const block = await post('/v1/blocks/', { label: names.label, value: name, tags: [names.tag], description: name })
  const shared = await post('/v1/blocks/', { label: `${name}_shared`, value: name, metadata: { owner: name } })
  const template = await post('/v1/blocks/', { label: name, value: name, is_template: true, template_name: name })
  const archive = await post('/v1/archives/', { name, description: name, embedding: 'cairn/lexical' })
  const folder = await post('/v1/folders/', { name: names.folder, description: name, instructions: name })
  const tool = await post('/v1/tools/', { source_code: `# ${name}`, json_schema: { name: names.tool }, tags: [name] })
  const identity = await post('/v1/identities/', {
    identifier_key: names.key,
    name,
    identity_type: 'user',
    properties: [{ key: 'owner', type: 'string', value: name }],
    block_ids: [block.id],
  })

  const agent = await post('/v1/agents/', {
    ...model,
    name,
    tags: [names.tag],
    system: name,
    block_ids: [block.id, shared.id],
    memory_blocks: [{ label: `${name}_own`, value: name }],
    tool_ids: [tool.id],
    folder_ids: [folder.id],
    identity_ids: [identity.id],
    secrets: { OWNER: `${name} secret` },
    tool_rules: [{ type: 'requires_approval', tool_name: names.tool }],
    metadata: { owner: name },
  })
  await sent(client, 'PATCH', `/v1/agents/${agent.id}/archives/attach/${archive.id}`)
  const spare = await post('/v1/agents/', { ...model, name: `${name} spare`, include_base_tools: false })
  const conductor = await post('/v1/agents/', { ...model, name: `${name} conductor` })
  const sleeper = await post('/v1/agents/', {
    ...model,
    name: `${name} sleeper`,
    enable_sleeptime: true,
    block_ids: [shared.id],
  })
  const partner = sleeper.managed_group.agent_ids[0] as string

  const group = async (manager_config: object, extra: object = {}) =>
    (await post('/v1/groups/', { agent_ids: [agent.id, spare.id], description: name, manager_config, ...extra })).id
  const manager_agent_id = conductor.id
  const groups = {
    round_robin: await group({ manager_type: 'round_robin' }, { shared_block_ids: [block.id, shared.id] }),
    supervisor: await group({ manager_type: 'supervisor', manager_agent_id: agent.id }, { agent_ids: [spare.id] }),
    dynamic: await group({ manager_type: 'dynamic', manager_agent_id }),
    voice_sleeptime: await group({ manager_type: 'voice_sleeptime', manager_agent_id }, { agent_ids: [spare.id] }),
    swarm: await group({ manager_type: 'swarm' }, { hidden: true }),
  }

  const own = (await sent(client, 'GET', '/v1/api-keys/')).at(-1)
  const organizationId = (await sent(client, 'GET', '/v1/admin/users/')).find(
    (user: { id: string }) => user.id === own.user_id,
  ).organization_id
  const user = await post('/v1/admin/users/', { name, organization_id: organizationId })
  const key = await post('/v1/api-keys/', { name: names.key, user_id: user.id, scopes: ['read'] })
  // A template in the default project and one in another, so that paths with and without a project find one.
  const project = await post('/v1/projects/', { name })
  const spareFolder = await post('/v1/folders/', { name: `${name} spare`, description: name })
  const spareProject = await post('/v1/projects/', { name: `${name} spare` })
  const provider = await post('/v1/providers/', {
    name: name.replace(/\W/g, '-').toLowerCase(),
    provider_type: 'openai',
    api_key: KEY,
    base_url: inject('provider'),
    models: [{ name: `${name.replace(/\W/g, '-')}-model`, model_type: 'llm', context_window: 8_000 }],
  })
  const ofAgent = { type: 'agent', agent_id: agent.id, name: names.template }
  await post('/v1/templates/', ofAgent)
  const madeTemplate = await post('/v1/templates/', ofAgent, { 'x-project-id': project.id })
  const deployed = await post(`/v1/templates/${project.id}/${names.template}:1/agents`, {
    memory_variables: { owner: name },
  })
  const policy = [{ type: 'agent', id: agent.id, access: ['read_agent'] }]
  await post('/v1/client-side-access-tokens/', { policy, hostname: `https://${name.toLowerCase()}.example.com` })
  const { tokens } = await sent(client, 'GET', '/v1/client-side-access-tokens/')
  const [passage, sparePassage] = await post(`/v1/archives/${archive.id}/passages/batch`, {
    passages: [{ text: name, tags: [names.tag], metadata: { owner: name } }, { text: `${name} spare` }],
  })
  const files = await addFile(database, agent.id, folder.id)
  const { file: spareFile } = await addFile(database, agent.id, folder.id)

  const run = await post(`/v1/agents/${spare.id}/messages`, { input: name, override_model: 'cairn/scripted' })
  await addCall(database, run.messages[0].step_id)
  const talkers = await group({ manager_type: 'round_robin' }, { agent_ids: [spare.id] })
  await post(`/v1/groups/${talkers}/messages`, { input: name, override_model: 'cairn/scripted' })
  const [talk] = await sent(client, 'GET', `/v1/runs/?group_id=${talkers}&order=asc`)
  const stream = await post(`/v1/agents/${spare.id}/messages`, {
    ...{ input: name, override_model: 'cairn/scripted', streaming: true, background: true },
  })

  const one: Populated['one'] = {
    agent: agent.id,
    access_token: tokens[0].token,
    api_key: key.id,
    archive: archive.id,
    block: block.id,
    deployment: deployed.deployment_id,
    ...files,
    group: groups.round_robin,
    identity: identity.id,
    message: agent.message_ids[0],
    org: organizationId,
    passage: passage.id,
    project: project.id,
    provider: provider.id,
    run: eventsIn(stream)[0]!.run_id as string,
    step: run.messages[0].step_id,
    source: folder.id,
    template: madeTemplate.id,
    tool: tool.id,
    user: user.id,
  }
  for (const { create } of RESOURCE_SAMPLES) {
    const { url, body } = create(one)
    const { id } = await post(url, body)
    one[id.slice(0, -37)] = id
  }
  await addMcpTool(database, one, names.tool)
  return {
    organizationId,
    one,
    spareAgent: spare.id,
    spareFolder: spareFolder.id,
    sparePassage: sparePassage.id,
    spareFile,
    spareProject: spareProject.id,
    sleeptime: { agent: sleeper.id, partner, group: sleeper.managed_group.id },
    runner: { group: talkers, run: talk.id },
    groups,
    names,
    all: [
      ...new Set([
        ...Object.values(one),
        ...Object.values(groups),
        ...[shared, template, spareFolder, sparePassage, spareProject, spare, conductor, sleeper].map(({ id }) => id),
        ...agent.blocks.map(({ id }: { id: string }) => id),
        ...deployed.agent_ids,
        ...[talkers, talk.id, spareFile, own.id, own.user_id, partner, sleeper.managed_group.id],
      ]),
    ],
  }
}

/** A client of a new organization, with all scopes. */
export async function newOrganization({ alice, client }: TestServer, name: string): Promise<Client> {
  const { id } = await sent(alice, 'POST', '/v1/admin/orgs/', { name })
  const user = await sent(alice, 'POST', '/v1/admin/users/', { name, organization_id: id })
  const scopes = FULL
  return client((await sent(alice, 'POST', '/v1/api-keys/', { name, user_id: user.id, scopes })).key)
}

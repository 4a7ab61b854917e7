import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newOrganization, type Populated, populate } from './populate.ts'
import { ownedTables, rowsOf } from './rows.ts'
import { type Client, useTestServer } from './server.ts'

const server = useTestServer()

/** A populated organization of the test's own. */
async function start() {
  const client = await newOrganization(server, 'Dora')
  return { client, held: await populate(client, server.database, 'Dora') }
}

const PATHS: Record<string, string> = {
  agent: '/v1/agents/',
  archive: '/v1/archives/',
  block: '/v1/blocks/',
  group: '/v1/groups/',
  identity: '/v1/identities/',
  source: '/v1/folders/',
  tool: '/v1/tools/',
}
const pathOf = (id: string) => PATHS[id.slice(0, -37)]

/** Those of the organization's resources that can't be retrieved any more. */
async function gone(client: Client, held: Populated): Promise<string[]> {
  const found: string[] = []
  for (const id of held.all) {
    const path = pathOf(id)
    if (path && (await client.get(`${path}${id}`)).status === 404) found.push(id)
  }
  return found.sort()
}

/** The tables that columns ending in `_id` refer to, by column. */
const TARGETS: Record<string, string> = {
  access_token_id: 'access_tokens',
  agent_id: 'agents',
  api_key_id: 'api_keys',
  archive_id: 'archives',
  block_id: 'blocks',
  file_id: 'files',
  group_id: 'groups',
  identity_id: 'identities',
  manager_agent_id: 'agents',
  mcp_server_id: 'mcp_servers',
  source_id: 'folders',
  template_version_id: 'template_versions',
  tool_id: 'tools',
  user_id: 'users',
}

/** Rows that refer to a row that isn't there. History, and a file's block, which is no row, are left out. */
async function orphans(): Promise<string[]> {
  const { database } = server
  const { rows: columns } = await sql<{ table: string; column: string }>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and table_name = any(${await ownedTables(database)}::text[])
      and table_name not in ('revisions', 'usage_days') and column_name = any(${Object.keys(TARGETS)}::text[])
      and table_name || '.' || column_name <> 'files_agents.block_id'`.execute(database.kysely)
  expect(columns.length).toBeGreaterThan(20)
  const found: string[] = []
  for (const { table, column } of columns) {
    const { rows } = await sql<{ id: string }>`select ${sql.ref(`t.${column}`)} as id from ${sql.table(table)} as t
      where ${sql.ref(`t.${column}`)} is not null and not exists (select from ${sql.table(TARGETS[column]!)} as target
        where target.organization_id = t.organization_id and target.id = ${sql.ref(`t.${column}`)})
    `.execute(database.kysely)
    found.push(...rows.map(({ id }) => `${table}.${column} ${id}`))
  }
  return found
}

const RELATIONS = ['blocks', 'identities', 'managed_group', 'secrets', 'sources', 'tags', 'tools']

/** The responses of all lists of the organization, as text. */
async function everything(client: Client): Promise<string> {
  const include = RELATIONS.map((relation) => `include=agent.${relation}`).join('&')
  const urls = [
    `/v1/agents/?limit=200&show_hidden_agents=true&${include}`,
    ...['archives', 'folders', 'identities', 'tools'].map((list) => `/v1/${list}/?limit=200`),
    '/v1/blocks/?limit=200&show_hidden_blocks=true',
    '/v1/groups/?limit=200&show_hidden_groups=true',
  ]
  const replies = await Promise.all(urls.map((url) => client.get(url)))
  expect(replies.map(({ status }) => status)).toEqual(urls.map(() => 200))
  return JSON.stringify(replies.map(({ body }) => body))
}

async function historyOf({ organizationId }: Populated, id: string): Promise<string[]> {
  const { rows } = await sql<{ operation: string }>`select operation from revisions
    where organization_id = ${organizationId} and resource_id = ${id} order by sequence`.execute(server.database.kysely)
  return rows.map(({ operation }) => operation)
}

interface Case {
  kind: string
  id: (held: Populated) => string
  answer: (id: string) => [status: number, body: unknown]
  /** The resources that are deleted with it. */
  takes?: (held: Populated) => string[]
}

const message = (noun: string) => (id: string) =>
  [200, { message: `${noun} id=${id} successfully deleted` }] as [number, unknown]
const nothing = () => [200, null] as [number, unknown]

const CASES: Case[] = [
  {
    kind: 'an agent',
    id: ({ one }) => one.agent,
    answer: message('Agent'),
    takes: ({ groups }) => [groups.supervisor],
  },
  {
    kind: 'an agent with a partner',
    id: ({ sleeptime }) => sleeptime.agent,
    answer: message('Agent'),
    takes: ({ sleeptime }) => [sleeptime.partner, sleeptime.group],
  },
  {
    kind: 'a sleeptime partner',
    id: ({ sleeptime }) => sleeptime.partner,
    answer: message('Agent'),
    takes: ({ sleeptime }) => [sleeptime.group],
  },
  { kind: 'an archive', id: ({ one }) => one.archive, answer: () => [204, ''] },
  { kind: 'a block', id: ({ one }) => one.block, answer: nothing },
  { kind: 'a folder', id: ({ one }) => one.source, answer: nothing },
  { kind: 'a group', id: ({ one }) => one.group, answer: message('Group') },
  { kind: 'an identity', id: ({ one }) => one.identity, answer: nothing },
  { kind: 'a tool', id: ({ one }) => one.tool, answer: nothing },
]

describe('deleting', () => {
  test.each(CASES)(
    '$kind takes along what is bound to it and nothing else, and leaves nothing that names it',
    async ({ id: choose, answer, takes }) => {
      const { client, held } = await start()
      const id = choose(held)
      expect(await gone(client, held)).toEqual([])
      const reply = await client.delete(`${pathOf(id)}${id}`)
      expect([reply.status, reply.body]).toEqual(answer(id))
      const expected = [id, ...(takes?.(held) ?? [])].sort()
      expect(await gone(client, held)).toEqual(expected)
      expect((await client.delete(`${pathOf(id)}${id}`)).status).toBe(404)
      const told = await everything(client)
      expect(expected.filter((one) => told.includes(one))).toEqual([])
      expect(await orphans()).toEqual([])
      for (const one of expected) expect((await historyOf(held, one)).at(-1)).toBe('delete')
    },
  )

  test('a folder deletes its files, and no agent sees them any more', async () => {
    const { client, held } = await start()
    const files = async () => (await rowsOf(server.database, held.organizationId)).files!.length
    expect(await files()).toBe(2)
    await client.delete(`/v1/folders/${held.one.source}`)
    expect(await files()).toBe(0)
    const agent = (await client.get(`/v1/agents/${held.one.agent}?include=agent.blocks&include=agent.sources`)).body
    expect([agent.sources, agent.memory.file_blocks]).toEqual([[], []])
  })

  test('an agent leaves the groups it was a member of with the other members', async () => {
    const { client, held } = await start()
    await client.delete(`/v1/agents/${held.one.agent}`)
    const group = (await client.get(`/v1/groups/${held.groups.round_robin}`)).body
    expect(group.agent_ids).toEqual([held.spareAgent])
    const { agent_ids } = (await client.get(`/v1/identities/${held.one.identity}`)).body
    expect(agent_ids).not.toContain(held.one.agent)
  })

  test('a sleeptime partner leaves the agent without background memory', async () => {
    const { client, held } = await start()
    const url = `/v1/agents/${held.sleeptime.agent}?include=agent.managed_group`
    expect((await client.get(url)).body).toMatchObject({
      enable_sleeptime: true,
      managed_group: { id: held.sleeptime.group },
    })
    await client.delete(`/v1/agents/${held.sleeptime.partner}`)
    const agent = (await client.get(url)).body
    expect(agent.enable_sleeptime).toBe(false)
    expect(agent).not.toHaveProperty('managed_group')
  })

  test('a user deletes the keys of that user, which open nothing from that moment on', async () => {
    const { client, held } = await start()
    const { user } = held.one
    const key = server.client(
      (await client.post('/v1/api-keys/', { name: 'k', user_id: user, scopes: ['read'] })).body.key,
    )
    expect((await key.get('/v1/agents/')).status).toBe(200)
    const reply = await client.delete(`/v1/admin/users/?user_id=${user}`)
    expect([reply.status, reply.body.id, reply.body.organization_id]).toEqual([200, user, held.organizationId])
    expect((await key.get('/v1/agents/')).status).toBe(401)
    const keys = (await client.get('/v1/api-keys/')).body
    expect(keys.filter((one: { user_id: string }) => one.user_id === user)).toEqual([])
    expect((await client.delete(`/v1/admin/users/?user_id=${user}`)).status).toBe(404)
    expect(await gone(client, held)).toEqual([])
    expect(await orphans()).toEqual([])
  })

  test('deleting an organization deletes its rows in every table, and keeps those of others', async () => {
    const { client, held } = await start()
    const other = await start()
    const before = await rowsOf(server.database, other.held.organizationId)
    const full = await rowsOf(server.database, held.organizationId)
    // Tests with hosted stores check the rows there.
    const none = Object.keys(full).filter((table) => full[table]!.length === 0)
    expect(none.filter((table) => table !== 'hosted_vectors')).toEqual([])
    const reply = await server.alice.delete(`/v1/admin/orgs/?org_id=${held.organizationId}`)
    expect([reply.status, reply.body.id]).toEqual([200, held.organizationId])
    const left = await rowsOf(server.database, held.organizationId)
    expect(Object.keys(left).filter((table) => left[table]!.length > 0)).toEqual([])
    expect(await rowsOf(server.database, other.held.organizationId)).toEqual(before)
    expect((await client.get('/v1/agents/')).status).toBe(401)
    expect((await server.alice.delete(`/v1/admin/orgs/?org_id=${held.organizationId}`)).status).toBe(404)
  })
})

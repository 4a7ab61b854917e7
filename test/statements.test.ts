import pg from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { countStatements } from './count-statements.ts'
import { documentOf, operationsOf } from './operations.ts'
import { inWorkingOrder, requestsOf, send } from './places.ts'
import { newOrganization, populate } from './populate.ts'
import { ownedTables } from './rows.ts'
import { type Client, type Reply, useTestServer } from './server.ts'

const server = useTestServer()

/** The number of SQL statements of a request, without authentication, which is cached, and without background work. */
async function statements(client: Client, ask: () => Promise<Reply<unknown>>): Promise<number> {
  await client.get('/v1/groups/count')
  const { result, statements } = await countStatements(ask)
  expect(result.status).toBe(200)
  return statements
}

const INCLUDES = ['blocks', 'identities', 'managed_group', 'pending_approval', 'secrets', 'sources', 'tags', 'tools']
const ALL = INCLUDES.map((relation) => `include=agent.${relation}`).join('&')

describe('the number of statements of a request', () => {
  test('is equal for 200 agents with every relation and for one', async () => {
    const { alice, database } = server
    const { one } = await populate(alice, database, 'Alicia')
    const body = {
      name: 'Agent',
      block_ids: [one.block],
      tool_ids: [one.tool],
      folder_ids: [one.source],
      identity_ids: [one.identity],
      tags: ['a', 'b'],
      secrets: { KEY: 'value' },
    }
    for (let n = 0; n < 200; n++) expect((await alice.post('/v1/agents/', body)).status).toBe(200)
    const page = async (limit: number) => {
      const url = `/v1/agents/?limit=${limit}&${ALL}`
      expect((await alice.get(url)).body).toHaveLength(limit)
      return statements(alice, () => alice.get(url))
    }
    const [few, many] = [await page(1), await page(200)]
    expect(many).toBe(few)
    expect(few).toBe(1)
    expect(await statements(alice, () => alice.get('/v1/agents/?limit=200'))).toBe(1)
  })

  test('is one for a list, a group and a block update of any size', async () => {
    const { bob, database } = server
    const measure = async (one: { group: string; block: string; agent: string }, value: string) => ({
      archives: await statements(bob, () => bob.get('/v1/archives/')),
      archives_by_name: await statements(bob, () => bob.get('/v1/archives/?name=Bob&order=asc')),
      folders: await statements(bob, () => bob.get('/v1/folders/')),
      folders_by_name: await statements(bob, () => bob.get('/v1/folders/?name=b')),
      agents: await statements(bob, () => bob.get('/v1/agents/')),
      agents_filtered: await statements(bob, () => bob.get('/v1/agents/?tags=a&query_text=b&order_by=updated_at')),
      blocks: await statements(bob, () => bob.get('/v1/blocks/')),
      groups: await statements(bob, () => bob.get('/v1/groups/')),
      identities: await statements(bob, () => bob.get('/v1/identities/')),
      tools: await statements(bob, () => bob.get('/v1/tools/')),
      tags: await statements(bob, () => bob.get('/v1/tags/')),
      providers: await statements(bob, () => bob.get('/v1/providers/')),
      models: await statements(bob, () => bob.get('/v1/models/')),
      embedding_models: await statements(bob, () => bob.get('/v1/models/embedding')),
      projects: await statements(bob, () => bob.get('/v1/projects/?name=b')),
      templates: await statements(bob, () => bob.get('/v1/templates/?search=b')),
      access_tokens: await statements(bob, () => bob.get('/v1/client-side-access-tokens/')),
      files_of_agent: await statements(bob, () => bob.get(`/v1/agents/${one.agent}/files`)),
      group: await statements(bob, () => bob.get(`/v1/groups/${one.group}`)),
      block_update: await statements(bob, () => bob.patch(`/v1/blocks/${one.block}`, { value })),
      block_update_of_tags: await statements(bob, () => bob.patch(`/v1/blocks/${one.block}`, { tags: [value] })),
      block_update_of_label: await statements(bob, () => bob.patch(`/v1/blocks/${one.block}`, { label: value })),
    })
    const first = await populate(bob, database, 'Bob')
    const few = await measure(first.one, 'few')
    for (let n = 0; n < 10; n++) {
      await populate(bob, database, `Bob${n}`)
      await bob.post('/v1/agents/', { name: 'More', block_ids: [first.one.block] })
    }
    const many = await measure(first.one, 'many')
    expect(many).toEqual(few)
    expect(few).toEqual(Object.fromEntries(Object.keys(few).map((name) => [name, 1])))
  })

  test('is two for a list of a resource’s parts: one checks that the resource exists', async () => {
    const client = server.alice
    const { one } = await populate(client, server.database, 'Alice')
    const urls = [
      `/v1/archives/?agent_id=${one.agent}`,
      `/v1/archives/${one.archive}/agents`,
      `/v1/archives/${one.archive}/passages`,
      `/v1/archives/${one.archive}/passages?include=passage.embedding`,
      `/v1/blocks/${one.block}/agents`,
      `/v1/folders/${one.source}/agents`,
      `/v1/identities/${one.identity}/agents`,
      `/v1/identities/${one.identity}/blocks`,
      `/v1/agents/${one.agent}/archival-memory`,
      `/v1/agents/${one.agent}/core-memory/blocks`,
      `/v1/agents/${one.agent}/folders`,
      `/v1/agents/${one.agent}/tools`,
    ]
    for (const url of urls) expect([url, await statements(client, () => client.get(url))]).toEqual([url, 2])
  })
})

/** SQL that a PostgreSQL distributed by organization (Citus) refuses, or runs on every node. */
const REFUSED: Record<string, RegExp> = {
  'a volatile function': /\bclock_timestamp\(/,
  'now() in a case': /\bcase\b(?:(?!\bend\b).)*\bnow\(\)/s,
  'now() in the condition of an upsert': /\bon conflict\b[^;]*\bdo update\b[^;]*\bwhere\b[^;]*\bnow\(\)/s,
  'a join with the tables of jobs': /\bjobs\.\w+/,
}

/** The rules of a distributed PostgreSQL that a statement breaks: every table names the organization by a parameter. */
function distributionFaults(text: string, owned: readonly string[]): string[] {
  const refused = Object.keys(REFUSED).filter((rule) => REFUSED[rule]!.test(text))
  const references = text.matchAll(
    new RegExp(`\\b(?:from|join|update)\\s+"?(${owned.join('|')})\\b"?(?:\\s+as)?(?:\\s+"?(\\w+)"?)?`, 'g'),
  )
  const unnamed = [...references].flatMap(([, table, alias]) => {
    const names = [table, alias].filter((name) => name !== undefined)
    const named = names.some((name) => new RegExp(`"?\\b${name}"?\\."?organization_id"? = \\$`).test(text))
    return named || /(?<![."\w])"?organization_id"? = \$/.test(text)
      ? []
      : [`${table} without the organization's parameter`]
  })
  return [...refused, ...unnamed]
}

// Users and keys are found before it is known whose they are.
const BY_THEMSELVES = ['users', 'api_keys']

// Background work finds expired responses, and runs without a server, of any organization, and changes them by organization.
// It also looks which of the runs that wait have ended, and stores the events of slow runs, of several organizations at once.
const OF_ANY_ORGANIZATION = [
  'select organization_id, id from kept_answers where expires_at <= now()',
  'select organization_id, id, thread_id, status, fence from runs',
  "select id from runs where status = 'running' and owner = ",
  'select id from runs where id = any(',
  "select id from runs where status in ('created', 'running') and (status = 'created' or owner = ",
  'as chunk (organization_id, run_id, owner, fence, first_seq, last_seq, data)',
  'select organization_id, id, agent_id from threads where pending_expires_at <= ',
  ' as swept where ',
  'usage_days where day < ',
]

test('every statement of every operation names its organization', async () => {
  const client = await newOrganization(server, 'Eve')
  const held = await populate(client, server.database, 'Eve')
  const document = documentOf(server.app)
  const tables = (await ownedTables(server.database)).filter((table) => !BY_THEMSELVES.includes(table))
  const owned = new RegExp(`\\b(from|join|into|update) "?(${tables.join('|')})\\b`)
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const operations = inWorkingOrder(operationsOf(server.app))
  for (const operation of operations) {
    for (const request of requestsOf(document, operation, held)) await send(client, request)
  }
  const sent = query.mock.calls.map(
    (args) => args as unknown as [string | { text: string; values: unknown[] }, unknown[]],
  )
  query.mockRestore()
  const statements = sent.map(([first, values]) => (typeof first === 'string' ? { text: first, values } : first))
  // A read between the statements of a transaction has its values in its text.
  const concerned = statements.filter(
    ({ text }) =>
      owned.test(text) && ![...OF_ANY_ORGANIZATION, 'set local cairn.read'].some((one) => text.includes(one)),
  )
  expect(concerned.length).toBeGreaterThan(200)
  const open = concerned.filter(
    ({ text, values }) => !text.includes('organization_id') || !values?.includes(held.organizationId),
  )
  expect([...new Set(open.map(({ text }) => text))]).toEqual([])
  const faults = concerned.flatMap(({ text }) => distributionFaults(text, tables).map((fault) => `${fault}: ${text}`))
  expect([...new Set(faults)]).toEqual([])
})

import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../test/server.ts'

const server = useTestServer()
let alice: Client
beforeAll(() => {
  alice = server.alice
})

const SECRETS = { TOKEN: 'hush', EMPTY: '', UNICODE: 'grüße 😀' }

const make = async (secrets: object = SECRETS, client = alice): Promise<string> =>
  `/v1/agents/${(await client.post('/v1/agents/', { name: 'Secret', include_base_tools: false, secrets })).body.id}`

interface Revision {
  version: number
  links: { table: string; added: string[]; removed: string[] }[] | null
}

async function historyOf(url: string): Promise<Revision[]> {
  const { rows } = await sql<Revision>`select version, links from revisions
    where resource_id = ${url.split('/').at(-1)} order by sequence`.execute(server.database.kysely)
  return rows
}

/** An agent's secrets as they lie in the database. */
async function storedOf(url: string) {
  const { rows } = await sql`select * from agent_environment_variables
    where agent_id = ${url.split('/').at(-1)} order by id`.execute(server.database.kysely)
  return rows
}

const shown = (reply: { body: { secrets: { key: string; value: string }[] } }) =>
  Object.fromEntries(reply.body.secrets.map(({ key, value }) => [key, value]))

describe('secrets given again with the values they have', () => {
  test.each<[string, object]>([
    ['as they were', { secrets: SECRETS }],
    ['in another order', { secrets: Object.fromEntries(Object.entries(SECRETS).reverse()) }],
    ['under their old name', { tool_exec_environment_variables: SECRETS }],
    ['beside other things that don’t change either', { secrets: SECRETS, name: 'Secret', tags: [] }],
  ])('make no new version of the agent and no row of its history: %s', async (_, body) => {
    const url = await make()
    const [before, stored, history] = [await alice.get(url), await storedOf(url), await historyOf(url)]
    for (const _ of [1, 2]) {
      const reply = await alice.patch(url, body)
      expect([reply.status, shown(reply)]).toEqual([200, SECRETS])
      expect(reply.body.updated_at).toBe(before.body.updated_at)
    }
    expect((await alice.get(url)).headers.etag).toBe(before.headers.etag)
    expect(await historyOf(url)).toEqual(history)
    expect(await storedOf(url)).toEqual(stored)
  })

  test('none to an agent that has none make none', async () => {
    const url = await make({})
    const history = await historyOf(url)
    for (const none of [{}, null]) expect((await alice.patch(url, { secrets: none })).status).toBe(200)
    expect(await historyOf(url)).toEqual(history)
  })

  test('by callers at once make none, while one that differs makes one', async () => {
    const url = await make()
    const same = Array.from({ length: 10 }, () => alice.patch(url, { secrets: SECRETS }))
    expect((await Promise.all(same)).map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(await historyOf(url)).toHaveLength(1)
    const other = { ...SECRETS, TOKEN: 'louder' }
    const replies = await Promise.all(Array.from({ length: 5 }, () => alice.patch(url, { secrets: other })))
    for (const reply of replies) expect(shown(reply)).toEqual(other)
    expect(await historyOf(url)).toHaveLength(2)
  })

  test('by a key that may not see them make none either, and it still does not see them', async () => {
    const url = await make()
    const writer = await server.withScopes('read', 'write')
    const reply = await writer.patch(url, { secrets: SECRETS })
    expect([reply.status, shown(reply)]).toEqual([200, { TOKEN: '', EMPTY: '', UNICODE: '' }])
    expect(await historyOf(url)).toHaveLength(1)
  })
})

describe('a secret that changes', () => {
  test('is written alone, in one new version whose history names it and never its value', async () => {
    const url = await make()
    const stored = await storedOf(url)
    const reply = await alice.patch(url, { secrets: { TOKEN: 'louder-than-before', EMPTY: '', NEW: 'n' } })
    expect(shown(reply)).toEqual({ TOKEN: 'louder-than-before', EMPTY: '', NEW: 'n' })
    const history = await historyOf(url)
    expect(history.map(({ version }) => version)).toEqual([1, 2])
    expect(history[1]!.links).toEqual([
      { table: 'agent_environment_variables', added: ['TOKEN', 'NEW'], removed: ['UNICODE'] },
    ])
    const { rows } = await sql<{ text: string }>`select revisions::text as text from revisions`.execute(
      server.database.kysely,
    )
    for (const value of ['hush', 'louder-than-before', 'grüße']) {
      expect(rows.filter(({ text }) => text.includes(value))).toEqual([])
    }
    const kept = (rows: unknown[], key: string) => (rows as { key: string }[]).find((row) => row.key === key)
    expect(kept(await storedOf(url), 'EMPTY')).toEqual(kept(stored, 'EMPTY'))
  })

  test('of another organization’s agent is out of reach, and the same value elsewhere is another secret', async () => {
    const { bob } = server
    const [hers, his] = [await make(), await make(SECRETS, bob)]
    expect((await bob.patch(hers, { secrets: { TOKEN: 'stolen' } })).status).toBe(404)
    expect(shown(await alice.get(`${hers}?include=agent.secrets`))).toEqual(SECRETS)
    const sealed = async (url: string) => (await storedOf(url)).map((row) => (row as { value_enc: string }).value_enc)
    expect(new Set([...(await sealed(hers)), ...(await sealed(his))]).size).toBe(6)
  })
})

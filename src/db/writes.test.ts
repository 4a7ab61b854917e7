import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../test/server.ts'
import { archives } from '../resources/archives/schema.ts'
import { blocks } from '../resources/blocks/schema.ts'
import { createScope, type Scope } from './scope.ts'

const server = useTestServer()

const ORDERED = { zebra: 1, apple: { y: null, b: [{ z: 1, a: 2 }] }, 10: 'ten', mango: '' }
const REORDERED = { mango: '', zebra: 1, apple: { b: [{ a: 2, z: 1 }], y: null }, 10: 'ten' }

describe('free JSON comes back with its keys in the order in which they were sent', () => {
  const keys = (value: unknown) => JSON.stringify(value)
  const RESOURCES: [path: string, field: string, body: object][] = [
    ['/v1/archives/', 'metadata', { name: 'Ordered' }],
    ['/v1/folders/', 'metadata', { name: 'Ordered' }],
    ['/v1/blocks/', 'metadata', { label: 'ordered', value: 'x' }],
    ['/v1/agents/', 'metadata', { name: 'Ordered' }],
    ['/v1/tools/', 'args_json_schema', { source_code: 'def ordered():\n    """Does it."""' }],
  ]

  test.each(RESOURCES)('%s: when made, retrieved, listed and changed, on both surfaces', async (path, field, body) => {
    for (const client of [server.alice, server.bob]) {
      for (const base of ['', '/letta']) {
        const made = (await client.post(`${base}${path}`, { ...body, [field]: ORDERED })).body
        expect(keys(made[field])).toBe(keys(ORDERED))
        const url = `${base}${path}${made.id}`
        expect(keys((await client.get(url)).body[field])).toBe(keys(ORDERED))
        const listed = (await client.get(`${base}${path}?limit=200`)).body
        expect(keys(listed.find(({ id }: { id: string }) => id === made.id)[field])).toBe(keys(ORDERED))
        expect(keys((await client.patch(url, { [field]: REORDERED })).body[field])).toBe(keys(REORDERED))
        await client.delete(url)
      }
    }
  })

  test('and the same JSON again changes nothing', async () => {
    const { alice } = server
    const made = await alice.post('/v1/archives/', { name: 'Same', metadata: ORDERED })
    const again = await alice.patch(`/v1/archives/${made.body.id}`, { metadata: ORDERED })
    expect(again.headers.etag).toBe(made.headers.etag)
  })
})

test('the messages of a deleted group stay, without their group', async () => {
  const { alice, bob, database, organizations } = server
  const groupOf = async (client: Client) => {
    const agent = (await client.post('/v1/agents/', { name: 'Member' })).body
    const group = (await client.post('/v1/groups/', { agent_ids: [agent.id], description: 'Soon gone' })).body
    return { agent, group }
  }
  const [hers, his] = [await groupOf(alice), await groupOf(bob)]
  const mark = (organization: string, { agent, group }: typeof hers) =>
    sql`update messages set group_id = ${group.id} where organization_id = ${organization} and agent_id = ${agent.id}`.execute(
      database.kysely,
    )
  await mark(organizations.alice, hers)
  await mark(organizations.bob, his)
  expect((await alice.delete(`/v1/groups/${hers.group.id}`)).status).toBe(200)
  const { rows } = await sql<{ group_id: string | null }>`select distinct group_id from messages
    where agent_id in (${hers.agent.id}, ${his.agent.id}) order by group_id`.execute(database.kysely)
  expect(rows.map(({ group_id }) => group_id)).toEqual([his.group.id, null])
})

test('a write of a column that its table does not have does not compile', () => {
  const writes = (scope: Scope, patch: { name: string; value: string }) => [
    // @ts-expect-error An archive has no column `nam`.
    () => scope.insert(archives, { nam: 'Misspelt' }),
    // @ts-expect-error A column of blocks is none of archives.
    () => scope.update(archives, 'archive-1', patch),
    // @ts-expect-error Also among several rows.
    () => scope.insertMany(archives, [{ name: 'Fits' }, { label: 'Foreign' }]),
    // @ts-expect-error A name is no number.
    () => scope.update(archives, 'archive-1', { name: 5 }),
    // @ts-expect-error The storage layer sets the version.
    () => scope.insert(blocks, { label: 'a', value: 'b', version: 2 }),
  ]
  const { database } = server
  const actor = {
    organizationId: server.organizations.alice,
    userId: null,
    keyId: null,
    requestId: null,
    operator: false,
  }
  const scope = createScope({ database, cipher: undefined as never }, { ...actor, scopes: [] })
  expect(writes(scope, { name: 'a', value: 'b' })).toHaveLength(5)
})

import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'
import { bootstrap } from '../../cli/bootstrap.ts'
import { createCipher } from '../../lib/cipher.ts'
import { BUILTIN_TOOLS } from './builtin.ts'
import type { Tool } from './schema.ts'

const server = useTestServer()

const everything = '/v1/tools?limit=200'

/** How many tools and how much history the whole database holds. */
async function written() {
  const { rows } =
    await sql`select (select count(*) from tools) as tools, (select count(*) from revisions) as revisions`.execute(
      server.database.kysely,
    )
  return rows
}

const restart = () =>
  bootstrap({ database: server.database, cipher: createCipher('a key for tests, of no use') }, undefined)

describe('built-in tools', () => {
  test('every organization has them all from its first moment, with ids of its own', async () => {
    const { alice, bob } = server
    const names = BUILTIN_TOOLS.map(({ name }) => name).sort()
    const hers: Tool[] = (await alice.get(everything)).body
    const his: Tool[] = (await bob.get(everything)).body
    expect(hers.map(({ name }) => name).sort()).toEqual(names)
    expect(his.map(({ name }) => name).sort()).toEqual(names)
    const ids = new Set(hers.map(({ id }) => id))
    expect(his.filter(({ id }) => ids.has(id))).toEqual([])
    expect((await bob.get(`/v1/tools/${hers[0]!.id}`)).status).toBe(404)
  })

  test('each tells a model how to call it', async () => {
    const list: Tool[] = (await server.alice.get(everything)).body
    for (const tool of list) {
      expect(tool).toMatchObject({
        tool_type: expect.stringMatching(/^svc_/),
        description: expect.stringMatching(/\.$/),
        tags: [tool.tool_type],
        source_type: 'python',
        return_char_limit: 50_000,
        metadata_: {},
        json_schema: { name: tool.name, description: tool.description, parameters: { type: 'object' } },
      })
      expect(tool).not.toHaveProperty('source_code')
      const { properties, required } = tool.json_schema!.parameters as { properties: object; required: string[] }
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(required))
    }
  })

  test('reading them writes nothing', async () => {
    const before = await written()
    await server.alice.get(everything)
    await server.alice.get('/v1/tools/count')
    await server.bob.get('/v1/tools?name=send_message')
    expect(await written()).toEqual(before)
  })

  test('starting the server again adds nothing', async () => {
    const before = await written()
    await restart()
    await restart()
    expect(await written()).toEqual(before)
  })

  test('starting the server adds those an organization lacks, and leaves a tool of its own under such a name', async () => {
    const { bob, database, organizations } = server
    const his = () => bob.get<Tool[]>('/v1/tools?names=run_code&names=web_search')
    await database.kysely
      .deleteFrom('tools')
      .where('organization_id', '=', organizations.bob)
      .where('name', 'in', ['run_code', 'web_search'])
      .execute()
    expect((await his()).body).toEqual([])
    const own = await bob.post('/v1/tools/', { source_code: 'def run_code(): ...', json_schema: { name: 'run_code' } })
    expect(own.status).toBe(200)
    await restart()
    const found = (await his()).body
    expect(found.map(({ name, tool_type }) => [name, tool_type])).toEqual([
      ['web_search', 'svc_builtin'],
      ['run_code', 'custom'],
    ])
  })

  test('starting a newer server gives them its definitions, and keeps their ids', async () => {
    const { alice, database, organizations } = server
    const [tool] = (await alice.get<Tool[]>('/v1/tools?name=memory_replace')).body
    await sql`update tools set description = 'Old.', json_schema = '{"name": "memory_replace"}'
      where organization_id = ${organizations.alice} and name = 'memory_replace'`.execute(database.kysely)
    await restart()
    const { updated_at: _, ...current } = (await alice.get(`/v1/tools/${tool!.id}`)).body
    expect(tool).toMatchObject(current)
  })

  test('can be asked for again: what is missing comes back, all are listed, and the rest stays as it is', async () => {
    const { alice, bob, database, organizations } = server
    const hers = (await alice.get<Tool[]>(everything)).body
    const before = await written()
    const same = await alice.post<Tool[]>('/v1/tools/add-base-tools')
    expect(same.status).toBe(200)
    expect(same.body.map(({ id }) => id).sort()).toEqual(hers.map(({ id }) => id).sort())
    expect(await written()).toEqual(before)
    await database.kysely
      .deleteFrom('tools')
      .where('organization_id', '=', organizations.alice)
      .where('tool_type', '!=', 'svc_core')
      .execute()
    const again = await Promise.all(Array.from({ length: 20 }, () => alice.post<Tool[]>('/v1/tools/add-base-tools')))
    for (const { status, body } of again) {
      expect([status, body.map(({ name }) => name).sort()]).toEqual([200, BUILTIN_TOOLS.map(({ name }) => name).sort()])
    }
    expect((await alice.get('/v1/tools/count')).body).toBe(BUILTIN_TOOLS.length)
    expect((await alice.get(`/v1/tools?tool_types=svc_core`)).body).toEqual(
      hers.filter(({ tool_type }) => tool_type === 'svc_core'),
    )
    expect((await bob.get('/v1/tools/count')).body).toBe(BUILTIN_TOOLS.length)
    const reader = await server.withScopes('read')
    expect((await reader.post('/v1/tools/add-base-tools')).status).toBe(403)
  })

  test('they can be neither changed, nor deleted, nor replaced', async () => {
    const { alice } = server
    const [tool] = (await alice.get<Tool[]>('/v1/tools?name=send_message')).body
    const url = `/v1/tools/${tool!.id}`
    const changed = await alice.patch(url, { description: 'Mine' })
    expect(changed.status).toBe(409)
    expect(changed.body.detail).toContain('built-in')
    expect((await alice.delete(url)).status).toBe(409)
    const json_schema = { name: 'send_message' }
    expect((await alice.post('/v1/tools/', { source_code: 'x', json_schema })).status).toBe(409)
    expect((await alice.get(url)).body).toEqual(tool)
  })
})

import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../test/server.ts'
import { createScope } from '../../db/scope.ts'
import { createCipher } from '../../lib/cipher.ts'
import { toolHolders } from '../agents/holders/holders.ts'
import type { Tool } from './schema.ts'
import { createSourceReader } from './source/reader.ts'
import { upsertTool } from './upsert.ts'

const server = useTestServer()

/** A Python function of one parameter, which is what its schema tells. */
const python = (name: string, says = 'Does it.', parameter = 'sides') =>
  `def ${name}(${parameter}: int) -> int:\n    """${says}\n\n    Args:\n        ${parameter}: How many.\n    """\n    return 1\n`
const schemaOf = (name: string, says = 'Does it.', parameter = 'sides') => ({
  name,
  description: says,
  parameters: {
    type: 'object',
    properties: { [parameter]: { type: 'integer', description: 'How many.' } },
    required: [parameter],
  },
})
const typescript = '/** Adds.\n * @param a One.\n */\nexport function add(a: number) { return a + 1 }'

const make = (client: Client, source_code: string, more: object = {}) =>
  client.post<Tool>('/v1/tools/', { source_code, ...more })
const put = (client: Client, source_code: string, more: object = {}) =>
  // biome-ignore lint/suspicious/noExplicitAny: errors are read too
  client.call<any>('PUT', '/v1/tools/', { source_code, ...more })

describe('a tool made from its source alone', () => {
  test('has the name, description and parameters the source tells, in Python and in TypeScript', async () => {
    const { alice } = server
    const roll = await make(alice, python('roll'))
    expect(roll.status).toBe(200)
    expect(roll.body).toMatchObject({
      name: 'roll',
      description: 'Does it.',
      json_schema: schemaOf('roll'),
      source_type: 'python',
    })
    expect(roll.body).not.toHaveProperty('schema_derived')
    const add = await make(alice, typescript, { source_type: 'typescript', description: 'Mine.' })
    expect(add.body).toMatchObject({ name: 'add', description: 'Mine.', json_schema: { description: 'Adds.' } })
  })

  test('follows its source: schema, description and name; the rules of agents go on naming it', async () => {
    const { alice } = server
    const { id } = (await make(alice, python('before'), { default_requires_approval: true })).body
    const agent = (await alice.post('/v1/agents/', { name: 'A', tool_ids: [id], include_base_tools: false })).body
    const url = `/v1/tools/${id}`
    const changed = await alice.patch(url, { source_code: python('after', 'Does more.', 'faces') })
    expect(changed.body).toMatchObject({
      id,
      name: 'after',
      description: 'Does more.',
      json_schema: schemaOf('after', 'Does more.', 'faces'),
    })
    const { tool_rules } = (await alice.get(`/v1/agents/${agent.id}`)).body
    expect(tool_rules).toContainEqual({ type: 'requires_approval', tool_name: 'after' })
    const own = await alice.patch(url, { description: 'Mine.' })
    expect(own.body.json_schema).toEqual(changed.body.json_schema)
    expect((await alice.patch(url, { source_code: python('after') })).body.description).toBe('Mine.')
  })

  test('takes its parameters from args_json_schema as long as there is one', async () => {
    const { alice } = server
    const args_json_schema = { properties: { x: { type: 'string' } }, required: ['x'] }
    const made = await make(alice, python('with_args'), { args_json_schema })
    const parameters = { type: 'object', ...args_json_schema }
    expect(made.body.json_schema).toEqual({ ...schemaOf('with_args'), parameters })
    const url = `/v1/tools/${made.body.id}`
    const changed = await alice.patch(url, { source_code: python('with_args', 'Now.') })
    expect(changed.body.json_schema).toMatchObject({ description: 'Now.', parameters })
    const put_ = await put(alice, python('with_args', 'Later.'))
    expect(put_.body.json_schema).toMatchObject({ description: 'Later.', parameters })
    const cleared = await alice.patch(url, { args_json_schema: null })
    expect(cleared.body.json_schema).toEqual(schemaOf('with_args', 'Later.'))
  })

  test('needs no description with args_json_schema, and no types', async () => {
    const { alice } = server
    const args_json_schema = { properties: { x: { type: 'string' } }, required: ['x'] }
    const json_schema = { name: 'bare', parameters: { type: 'object', ...args_json_schema } }
    const made = await make(alice, 'def bare(x):\n    return x', { args_json_schema })
    expect(made).toMatchObject({ status: 200, body: { name: 'bare', json_schema } })
    expect(made.body.json_schema).not.toHaveProperty('description')
    expect((await put(alice, 'def bare(y):\n    return y', { args_json_schema })).body.json_schema).toEqual(json_schema)
    const source = 'export function bare2(x) { return x }'
    const typed = await make(alice, source, { args_json_schema, source_type: 'typescript', description: 'Mine.' })
    expect(typed.body).toMatchObject({ name: 'bare2', description: 'Mine.' })
    expect((await alice.patch(`/v1/tools/${made.body.id}`, { args_json_schema: null })).status).toBe(422)
  })

  test('is refused with a schema that names another function, as a 400 for Letta clients', async () => {
    const { alice, bob } = server
    const source_code = 'def helper(x):\n    return x\n\ndef main_one(x):\n    return helper(x)\n'
    const wrong = { name: 'other_one', description: 'x' }
    const script = { source_code: 'const f = () => 1\nexport { f }', source_type: 'typescript' }
    for (const [surface, status] of [
      ['', 422],
      ['/letta', 400],
    ] as const) {
      for (const body of [
        { source_code, json_schema: wrong },
        { ...script, json_schema: wrong },
      ]) {
        const refused = await alice.post(`${surface}/v1/tools/`, body)
        expect([refused.status, refused.body.detail]).toEqual([status, expect.stringContaining('other_one')])
        expect((await alice.call('PUT', `${surface}/v1/tools/`, body)).status).toBe(status)
      }
      const json_schema = { name: 'helper' }
      const { id } = (await bob.call('PUT', `${surface}/v1/tools/`, { source_code, json_schema })).body
      const url = `${surface}/v1/tools/${id}`
      expect((await bob.patch(url, { source_code, json_schema: wrong })).status).toBe(status)
      expect((await bob.get(url)).body).toMatchObject({ name: 'helper', json_schema })
      const renamed = { source_code: 'def other_one(): pass', json_schema: wrong }
      expect((await bob.patch(url, renamed)).body).toMatchObject({ id, name: 'other_one' })
      expect((await bob.delete(url)).status).toBe(200)
    }
    expect((await make(alice, script.source_code, { ...script, json_schema: { name: 'f' } })).status).toBe(200)
  })

  test('keeps a schema that is given, whatever its source becomes', async () => {
    const { alice } = server
    const { id } = (await make(alice, python('given_later'))).body
    const json_schema = { name: 'given_later', description: 'Given.' }
    const given = await alice.patch(`/v1/tools/${id}`, { json_schema })
    expect(given.body).toMatchObject({ json_schema, description: 'Given.' })
    const kept = await alice.patch(`/v1/tools/${id}`, { source_code: 'anything at all' })
    expect(kept.body).toMatchObject({ json_schema, name: 'given_later', source_code: 'anything at all' })
  })

  test('is refused with everything that is wrong and where, and nothing is written', async () => {
    const { alice } = server
    const before = (await alice.get('/v1/tools/count')).body
    const refused = async (source_code: string, more: object = {}) => {
      for (const reply of [await make(alice, source_code, more), await put(alice, source_code, more)]) {
        expect(reply.status).toBe(422)
        const { errors } = reply.body as unknown as { errors: { in: string; field: string; message: string }[] }
        expect(errors.every(({ in: part, field }) => part === 'body' && field === 'source_code')).toBe(true)
        if (reply.status === 422) messages = errors.map(({ message }) => message)
      }
      return messages
    }
    let messages: string[] = []
    expect(await refused('def f(x):\n  pass')).toHaveLength(3)
    expect(await refused('def f(:')).toEqual([expect.stringContaining('line 1, column 7')])
    expect(await refused('export function f( {', { source_type: 'typescript' })).toEqual([
      expect.stringContaining('line 1, column 21'),
    ])
    expect(await refused('x', { source_type: 'json' })).toEqual([expect.stringContaining('needs a json_schema')])
    expect(await refused(python('x'.repeat(65)))).toEqual([expect.stringContaining('at most 64 characters')])
    expect(await refused(python('über'))).toEqual([expect.stringContaining('must be a function name')])
    expect((await alice.get('/v1/tools/count')).body).toBe(before)
    const { id } = (await make(alice, python('sound'))).body
    expect((await alice.patch(`/v1/tools/${id}`, { source_code: 'def f(:' })).status).toBe(422)
    expect((await alice.get(`/v1/tools/${id}`)).body.source_code).toBe(python('sound'))
  })

  test('shows a schema without being made', async () => {
    const { alice } = server
    const before = (await alice.get('/v1/tools/count')).body
    const url = '/v1/tools/generate-schema'
    expect((await alice.post(url, { code: python('shown') })).body).toEqual(schemaOf('shown'))
    const add = await alice.post(url, { code: typescript, source_type: 'typescript' })
    expect(add.body.name).toBe('add')
    const faulty = await alice.post(url, { code: 'def f(:' })
    expect([faulty.status, faulty.body.errors]).toEqual([
      422,
      [{ in: 'body', field: 'code', message: 'line 1, column 7: Expected parameter name' }],
    ])
    expect((await alice.post(url, { code: python('x'.repeat(65)) })).status).toBe(422)
    expect((await alice.post(url, { source_type: 'python' })).status).toBe(422)
    expect((await alice.get('/v1/tools/count')).body).toBe(before)
    const reader = await server.withScopes('read')
    expect((await reader.post(url, { code: python('shown') })).status).toBe(200)
  })
})

describe('an upsert', () => {
  test('makes the tool of a name, then changes that one, and leaves what it does not name', async () => {
    const { alice, bob } = server
    const settings = {
      tags: ['games'],
      enable_parallel_execution: true,
      default_requires_approval: true,
      return_char_limit: 10,
      pip_requirements: [{ name: 'numpy' }],
      description: 'Mine.',
    }
    const made = await put(alice, python('upserted'), settings)
    expect(made.body).toMatchObject({ ...settings, name: 'upserted', json_schema: schemaOf('upserted') })
    const nothing = { tags: null, description: null, return_char_limit: null }
    const changed = await put(alice, python('upserted', 'Does more.'), nothing)
    expect(changed.body).toEqual({
      ...made.body,
      source_code: python('upserted', 'Does more.'),
      json_schema: schemaOf('upserted', 'Does more.'),
    })
    expect((await put(alice, python('upserted', 'Does more.'), { tags: [] })).body.tags).toEqual([])
    const again = await put(alice, python('upserted', 'Does more.'), { tags: [] })
    const same = await put(alice, python('upserted', 'Does more.'))
    expect(same.headers.etag).toBe(again.headers.etag)
    const his = await put(bob, python('upserted'))
    expect(his.body.id).not.toBe(made.body.id)
    expect((await alice.get(`/v1/tools/${made.body.id}`)).body).toEqual(same.body)
  })

  test('reads the source in the language it names, and takes a schema that is given', async () => {
    const { alice } = server
    const made = await put(alice, 'nothing to read', { json_schema: { name: 'switched' } })
    const changed = await put(alice, typescript.replaceAll('add', 'switched'), { source_type: 'typescript' })
    expect(changed.body).toMatchObject({ id: made.body.id, source_type: 'typescript', description: 'Adds.' })
    const back = await put(alice, python('switched'))
    expect(back.body).toMatchObject({ id: made.body.id, source_type: 'python', json_schema: schemaOf('switched') })
  })

  test('leaves built-in tools alone', async () => {
    const { alice } = server
    const [tool] = (await alice.get<Tool[]>('/v1/tools?name=send_message')).body
    const refused = await put(alice, python('send_message'))
    expect([refused.status, refused.headers['x-should-retry']]).toEqual([409, 'false'])
    expect((await alice.get(`/v1/tools/${tool!.id}`)).body).toEqual(tool)
  })

  test('of one name by a thousand at once makes one tool, and each is answered with it', async () => {
    const { alice } = server
    const replies = await Promise.all(
      Array.from({ length: 1000 }, (_, n) => put(alice, python('contended'), { return_char_limit: n + 1 })),
    )
    expect(replies.filter(({ status }) => status !== 200).map(({ status, body }) => [status, body.detail])).toEqual([])
    const [tool, ...others] = (await alice.get<Tool[]>('/v1/tools?name=contended')).body
    expect(others).toEqual([])
    expect(new Set(replies.map(({ body }) => body.id))).toEqual(new Set([tool!.id]))
    for (const [n, { body }] of replies.entries()) expect(body.return_char_limit).toBe(n + 1)
    const { rows } = await sql<{ operation: string; count: number }>`select operation, count(*) as count from revisions
      where resource_id = ${tool!.id} group by operation order by operation`.execute(server.database.kysely)
    expect(rows).toEqual([
      { operation: 'create', count: 1 },
      { operation: 'update', count: 999 },
    ])
  })

  test('of one name by several servers makes one tool', async () => {
    const { database, organizations } = server
    const cipher = createCipher('a key for tests, of no use')
    const nobody = { userId: null, keyId: null, scopes: [], requestId: null, operator: false }
    const scope = createScope({ database, cipher }, { ...nobody, organizationId: organizations.bob })
    const reader = createSourceReader()
    const deps = { reader, holders: toolHolders }
    // Callers of other servers don't wait for their turn here.
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        upsertTool(scope, deps, (_key, work) => work(), { source_code: python('shared'), return_char_limit: n + 1 }),
      ),
    )
    await reader.close()
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect(made.map(({ return_char_limit }) => return_char_limit)).toEqual(made.map((_, n) => n + 1))
    expect((await server.bob.get('/v1/tools/count?name=shared')).body).toBe(1)
  })

  test('beside renames and deletions of the same tool ends with one tool of that name', async () => {
    const { alice } = server
    const statuses = new Set<number>()
    await Promise.all(
      Array.from({ length: 120 }, async (_, n) => {
        const { status, body } = await put(alice, python('restless'), { return_char_limit: n + 1 })
        statuses.add(status)
        if (n % 3 === 0) statuses.add((await alice.delete(`/v1/tools/${body.id}`)).status)
        if (n % 3 === 1) {
          statuses.add((await alice.patch(`/v1/tools/${body.id}`, { source_code: python(`restless_${n}`) })).status)
        }
      }),
    )
    // A tool that another has deleted meanwhile is a 404.
    expect([...statuses].filter((status) => ![200, 404].includes(status))).toEqual([])
    await put(alice, python('restless'))
    expect((await alice.get('/v1/tools?name=restless')).body).toHaveLength(1)
  })

  test('by many, of many names in any order, makes each once', async () => {
    const { bob } = server
    const names = Array.from({ length: 20 }, (_, n) => `many_${n}`)
    const sent = Array.from({ length: 10 }, (_, n) => (n % 2 ? names : [...names].reverse())).flat()
    const replies = await Promise.all(sent.map((name) => put(bob, python(name))))
    expect(replies.every(({ status }) => status === 200)).toBe(true)
    expect((await bob.get('/v1/tools/count?search=many_')).body).toBe(names.length)
  })
})

test('sources changed at the same moment leave a schema that is of the last one', async () => {
  const { alice } = server
  const { id } = (await make(alice, python('racing'))).body
  const url = `/v1/tools/${id}`
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      n % 5 === 4
        ? alice.patch(url, { args_json_schema: n % 2 ? null : { properties: {}, required: [], title: `${n}` } })
        : alice.patch(url, { source_code: python('racing', `Number ${n}.`) }),
    ),
  )
  expect(replies.every(({ status }) => status === 200)).toBe(true)
  const { json_schema, source_code, args_json_schema } = (await alice.get(url)).body
  const { description } = json_schema
  const { parameters } = schemaOf('racing')
  expect(source_code).toBe(python('racing', description))
  expect(json_schema.parameters).toEqual(args_json_schema ? { type: 'object', ...args_json_schema } : parameters)
})

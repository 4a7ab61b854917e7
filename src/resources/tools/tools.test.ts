import { describe, expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'
import type { Tool } from './schema.ts'

const server = useTestServer()

const sourceOf = (name: string) => `def ${name}(sides: int) -> int: ...`
const source_code = sourceOf('roll')
const parameters = { type: 'object', properties: { sides: { type: 'integer', default: null } }, required: ['sides'] }
const bodyOf = (name: string, more: object = {}) => ({
  source_code: sourceOf(name),
  json_schema: { name, parameters },
  ...more,
})

const names = (tools: Tool[]) => tools.map(({ name }) => name)

describe('tools', () => {
  test('what is created is what is retrieved, modified and deleted', async () => {
    const { alice } = server
    const json_schema = { name: 'roll', description: 'Rolls dice.', parameters }
    const made = await alice.post('/v1/tools/', { source_code, json_schema, description: null, tags: null })
    expect(made.status).toBe(200)
    expect(made.body).toEqual({
      id: expect.stringMatching(/^tool-/),
      name: 'roll',
      description: 'Rolls dice.',
      source_code,
      json_schema,
      source_type: 'python',
      tool_type: 'custom',
      tags: [],
      metadata_: {},
      return_char_limit: 50_000,
      enable_parallel_execution: false,
      created_by_id: expect.any(String),
      last_updated_by_id: expect.any(String),
    })
    const url = `/v1/tools/${made.body.id}`
    expect((await alice.get(url)).body).toEqual(made.body)
    const changed = await alice.patch(url, { description: 'Rolls any dice.', tags: ['games'], return_char_limit: 10 })
    expect(changed.body).toEqual({
      ...made.body,
      description: 'Rolls any dice.',
      tags: ['games'],
      return_char_limit: 10,
    })
    const deleted = await alice.delete(url)
    expect([deleted.status, deleted.body]).toEqual([200, null])
    expect((await alice.get(url)).status).toBe(404)
    expect((await alice.delete(url)).status).toBe(404)
  })

  test('a patch changes the fields it names and no others, and null gives a field its default again', async () => {
    const { alice } = server
    const made = await alice.post(
      '/v1/tools/',
      bodyOf('patched', {
        tags: ['a'],
        enable_parallel_execution: true,
        default_requires_approval: true,
        pip_requirements: [
          { name: 'numpy', version: '2.1.0' },
          { name: 'scipy', version: null },
        ],
        npm_requirements: [{ name: 'zod' }],
      }),
    )
    const url = `/v1/tools/${made.body.id}`
    expect(made.body.pip_requirements).toEqual([{ name: 'numpy', version: '2.1.0' }, { name: 'scipy' }])
    const source = await alice.patch(url, { source_code: 'def patched(): ...' })
    expect(source.body).toEqual({ ...made.body, source_code: 'def patched(): ...' })
    const cleared = await alice.patch(url, {
      tags: null,
      enable_parallel_execution: null,
      default_requires_approval: null,
      pip_requirements: null,
      npm_requirements: null,
      return_char_limit: null,
    })
    expect(cleared.body).toMatchObject({ tags: [], enable_parallel_execution: false, return_char_limit: 50_000 })
    for (const field of ['default_requires_approval', 'pip_requirements', 'npm_requirements']) {
      expect(cleared.body).not.toHaveProperty(field)
    }
    const same = await alice.patch(url, {})
    expect(same.headers.etag).toBe(cleared.headers.etag)
    expect((await alice.patch(url, { tags: ['z'] }, { 'if-match': made.headers.etag! })).status).toBe(412)
    for (const field of ['source_code', 'json_schema']) {
      expect((await alice.patch(url, { [field]: null })).status).toBe(422)
    }
  })

  test('a name belongs to one tool of an organization, by create and by rename, and says nothing to another', async () => {
    const { alice, bob } = server
    const first = await alice.post('/v1/tools/', bodyOf('taken', { description: 'First' }))
    const again = await alice.post('/v1/tools/', bodyOf('taken', { description: 'Second' }))
    expect(again.status).toBe(409)
    expect(again.headers['x-should-retry']).toBe('false')
    expect((await alice.get(`/v1/tools/${first.body.id}`)).body).toEqual(first.body)
    expect((await bob.post('/v1/tools/', bodyOf('taken'))).status).toBe(200)
    const other = await alice.post('/v1/tools/', bodyOf('other'))
    const clash = await alice.patch(`/v1/tools/${other.body.id}`, { json_schema: { name: 'taken' } })
    expect(clash.status).toBe(409)
    const renamed = await alice.patch(`/v1/tools/${other.body.id}`, { json_schema: { name: 'another', parameters } })
    expect(renamed.body).toMatchObject({ id: other.body.id, name: 'another', json_schema: { name: 'another' } })
  })

  test('a tool that no model could call is refused, with what is wrong', async () => {
    const { alice } = server
    const refused = async (body: object, field: string) => {
      const { status, body: answer } = await alice.post('/v1/tools/', body)
      expect([status, answer.errors?.[0]?.field]).toEqual([422, field])
      return answer.errors[0].message as string
    }
    const unnamed = 'json_schema.name'
    expect(await refused({ source_code }, 'source_code')).toContain('line 1, column 1: function roll is not described')
    await refused({ source_code, json_schema: null }, 'source_code')
    await refused({ source_code, json_schema: { parameters } }, unnamed)
    await refused({ source_code, json_schema: { name: 7 } }, unnamed)
    for (const name of ['', 'two words', '1st', 'a.b', 'ü', 'x'.repeat(65)]) await refused(bodyOf(name), unnamed)
    await refused({ json_schema: { name: 'a' } }, 'source_code')
    await refused(bodyOf('a', { source_type: 'ruby' }), 'source_type')
    await refused(bodyOf('a', { return_char_limit: 0 }), 'return_char_limit')
    await refused(bodyOf('a', { return_char_limit: 1_000_001 }), 'return_char_limit')
    await refused(bodyOf('a', { pip_requirements: [{ name: '' }] }), 'pip_requirements[0].name')
    await refused(bodyOf('a', { npm_requirements: [{ name: 'x', version: 'new' }] }), 'npm_requirements[0].version')
    for (const name of ['--index-url=http://evil', 'a b', 'git+https://evil/x', 'pandas>=2']) {
      await refused(bodyOf('a', { pip_requirements: [{ name }] }), 'pip_requirements[0].name')
    }
    for (const name of ['-g', '@scope', '../x', 'file:x', 'http://evil/x.tgz']) {
      await refused(bodyOf('a', { npm_requirements: [{ name }] }), 'npm_requirements[0].name')
    }
    await refused(bodyOf('a', { name: 'a' }), 'name')
    await refused(bodyOf('a', { tool_type: 'svc_core' }), 'tool_type')
    const pip_requirements = ['numpy', 'ruamel.yaml', 'httpx[http2,brotli]', 'a'].map((name) => ({ name }))
    const npm_requirements = ['zod', '@types/node', 'lodash.merge'].map((name) => ({ name }))
    const kept = await alice.post('/v1/tools/', bodyOf('x'.repeat(64), { pip_requirements, npm_requirements }))
    expect(kept.body).toMatchObject({ pip_requirements, npm_requirements })
  })

  test('another organization gets the answer of a tool that does not exist', async () => {
    const { alice, bob } = server
    const { id } = (await alice.post('/v1/tools/', bodyOf('hers'))).body
    const unknown = 'tool-00000000-0000-4000-8000-000000000000'
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { description: 'Mine' } : undefined
      const foreign = await bob.call(method, `/v1/tools/${id}`, body)
      const missing = await bob.call(method, `/v1/tools/${unknown}`, body)
      const plain = (reply: typeof foreign, own: string) =>
        JSON.stringify({ ...reply.body, request_id: '' }).replaceAll(own, 'ID')
      expect(foreign.status).toBe(404)
      expect(plain(foreign, id)).toBe(plain(missing, unknown))
    }
    expect((await bob.get('/v1/tools?name=hers')).body).toEqual([])
    expect((await bob.get(`/v1/tools?tool_ids=${id}`)).body).toEqual([])
    expect((await alice.get('/v1/tools?name=hers')).body).toHaveLength(1)
  })
})

describe('lists of tools', () => {
  test('each filter keeps what it says, in lists and in counts, and filters add up', async () => {
    const { alice } = server
    const ids: string[] = []
    for (const name of ['find_a_b', 'find_axb', 'Find_c']) {
      ids.push((await alice.post('/v1/tools/', bodyOf(name))).body.id)
    }
    const kept = async (query: string) => {
      const list = (await alice.get<Tool[]>(`/v1/tools/?${query}&order=asc&limit=200`)).body
      expect((await alice.get(`/v1/tools/count?${query}`)).body).toBe(list.length)
      return names(list)
    }
    expect(await kept('name=find_axb')).toEqual(['find_axb'])
    expect(await kept('name=FIND_AXB')).toEqual([])
    expect(await kept('names=find_a_b&names=Find_c&name=find_axb')).toEqual(['find_a_b', 'find_axb', 'Find_c'])
    expect(await kept(`tool_ids=${ids[0]}&tool_ids=${ids[2]}`)).toEqual(['find_a_b', 'Find_c'])
    expect(await kept('search=FIND_')).toEqual(['find_a_b', 'find_axb', 'Find_c'])
    expect(await kept('search=a_b')).toEqual(['find_a_b'])
    expect(await kept('search=find&return_only_svc_tools=true')).toEqual([])
    expect(await kept('tool_types=svc_core')).toHaveLength(4)
    expect(await kept('tool_types=svc_core&tool_types=svc_files_core')).toHaveLength(7)
    expect(await kept('tool_types=svc_core&exclude_tool_types=svc_core')).toEqual([])
    expect(await kept('return_only_svc_tools=true&exclude_tool_types=svc_core')).not.toContain('send_message')
    const all = await alice.get('/v1/tools/count')
    const svc = await alice.get('/v1/tools/count?return_only_svc_tools=true')
    const own = await alice.get('/v1/tools/count?exclude_svc_tools=true')
    expect(svc.body + own.body).toBe(all.body)
    expect((await alice.get('/v1/tools/?tool_types=magic')).status).toBe(422)
    expect((await alice.get('/v1/tools/?exclude_svc_tools=true')).status).toBe(422)
  })

  test('walking the pages shows every tool once, newest first', async () => {
    const { alice } = server
    const whole = names((await alice.get<Tool[]>('/v1/tools/?limit=200')).body)
    const walked: (string | undefined)[] = []
    let url: string | undefined = '/v1/tools/?limit=7'
    while (url) {
      const page: { body: Tool[]; headers: Record<string, string | undefined> } = await alice.get(url)
      walked.push(...names(page.body))
      url = page.headers.link?.match(/<(.+)>/)?.[1]
    }
    expect(walked).toEqual(whole)
    expect(new Set(walked).size).toBe(walked.length)
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Document, documentOf, type Operation, operationsOf } from './operations.ts'
import { requestsOf, send } from './places.ts'
import { type Populated, populate } from './populate.ts'
import { rowsOf } from './rows.ts'
import { type Client, type Reply, startTestServer, type TestServer } from './server.ts'

let server: TestServer
let alice: Client
let held: Populated
let document: Document
let reads: Operation[]
beforeAll(async () => {
  server = await startTestServer()
  alice = server.alice
  held = await populate(alice, server.database, 'Alicia')
  document = documentOf(server.app)
  reads = operationsOf(server.app).filter(({ method }) => method === 'GET')
})
afterAll(() => server.close())

const INCLUDES = ['blocks', 'identities', 'managed_group', 'secrets', 'sources', 'tags', 'tools']
const ALL = INCLUDES.map((relation) => `include=agent.${relation}`).join('&')

/** Every value of a JSON response, with its key. */
function values(body: unknown, name = ''): [string, unknown][] {
  if (Array.isArray(body)) return body.flatMap((inner) => values(inner, name))
  if (body === null || typeof body !== 'object') return [[name, body]]
  return Object.entries(body).flatMap(([key, inner]) => values(inner, key))
}

describe('a response', () => {
  /** Every read of a populated organization. */
  async function everything(): Promise<[string, unknown][]> {
    const found: [string, unknown][] = values((await alice.get(`/v1/agents/?${ALL}`)).body)
    for (const operation of reads) {
      for (const request of requestsOf(document, operation, held))
        found.push(...values((await send(alice, request)).body))
    }
    return found
  }

  test('omits fields without a value, and is never null', async () => {
    const nothing = (await everything()).filter(([, value]) => value === null)
    expect(nothing).toEqual([])
  })

  test('gives instants in UTC, with milliseconds and a Z', async () => {
    const instants = (await everything()).filter(([name]) => /_at$|^date$|^last_run_completion$/.test(name))
    expect(instants.length).toBeGreaterThan(50)
    const odd = instants.filter(([, value]) => !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value)))
    expect(odd).toEqual([])
  })

  test.each([
    ['abc-123', true],
    ['A.b:c_d', true],
    ['x'.repeat(128), true],
    ['x'.repeat(129), false],
    ['two words', false],
    ['semi;colon', false],
    ['', false],
  ])('bears the caller’s request id if it is a sane one: "%s"', async (id, sane) => {
    for (const url of ['/v1/blocks/', '/v1/nothing', `/v1/blocks/${held.one.block}`, '/v1/blocks/x', '/v1/health/']) {
      const reply = await alice.get(url, { 'x-request-id': id })
      if (sane) expect(reply.headers['x-request-id']).toBe(id)
      else expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
      if (reply.status >= 400) expect(reply.body.request_id).toBe(reply.headers['x-request-id'])
    }
  })
})

describe('a secret', () => {
  const url = () => `/v1/agents/${held.one.agent}?include=agent.secrets`

  test('is shown to keys with the scope for it, and is empty to others', async () => {
    const blind = await server.withScopes('read', 'write')
    const seeing = await server.withScopes('read', 'secrets')
    const secretsOf = async (client: Client) => (await client.get(url())).body.secrets
    expect((await secretsOf(seeing))[0]).toMatchObject({ key: 'OWNER', value: 'Alicia secret' })
    expect((await secretsOf(blind))[0]).toMatchObject({ key: 'OWNER', value: '' })
    const listed = await blind.get(`/v1/agents/?include=agent.secrets`)
    expect(JSON.stringify(listed.body)).not.toContain('Alicia secret')
    const patched = await blind.patch(`/v1/agents/${held.spareAgent}`, { secrets: { MINE: 'Alicia secret' } })
    expect(patched.body.secrets).toMatchObject([{ key: 'MINE', value: '' }])
    const old = await blind.get(`/v1/agents/${held.one.agent}?include_relationships=tool_exec_environment_variables`)
    expect(old.body.tool_exec_environment_variables).toMatchObject([{ key: 'OWNER', value: '' }])
  })

  test('is encrypted everywhere in the database, and a key is hashed', async () => {
    const text = JSON.stringify(await rowsOf(server.database, held.organizationId))
    expect(text).toContain('Alicia')
    expect(text).not.toContain('Alicia secret')
    expect(text).not.toContain(alice.key)
    const hash = (await rowsOf(server.database, held.organizationId)).api_keys!.map(
      (row) => JSON.parse(row).key_hash as string,
    )
    const told = JSON.stringify(
      await Promise.all(
        reads.flatMap((operation) => requestsOf(document, operation, held).map((request) => send(alice, request))),
      ),
    )
    expect(hash.filter((one) => told.includes(one))).toEqual([])
    expect(told).not.toContain('value_enc')
    expect((await rowsOf(server.database, held.organizationId)).revisions!.join()).not.toContain(hash[0])
  })
})

/** The version at the start of an ETag. A hash follows it where the response holds more than the versioned row. */
const versionOf = ({ headers }: Reply<unknown>) => /^"(\d+)/.exec(headers.etag ?? '')?.[1]

/** One mutable resource of each kind: where it is, and changes to it. */
const KINDS = [
  ['agent', () => `/v1/agents/${held.spareAgent}`, 'description'],
  ['archive', () => `/v1/archives/${held.one.archive}`, 'description'],
  ['block', () => `/v1/blocks/${held.one.block}`, 'value'],
  ['folder', () => `/v1/folders/${held.one.source}`, 'description'],
  ['group', () => `/v1/groups/${held.one.group}`, 'description'],
  ['identity', () => `/v1/identities/${held.one.identity}`, 'name'],
  ['tool', () => `/v1/tools/${held.one.tool}`, 'description'],
] as const

describe.each(KINDS)('the ETag of one %s', (_, urlOf, field) => {
  test('saves sending a representation that the caller has', async () => {
    const url = urlOf()
    const { headers } = await alice.get(url)
    expect(headers.etag).toMatch(/^"[^"]+"$/)
    for (const known of [headers.etag!, `W/${headers.etag}`, '*', `"0", ${headers.etag}`]) {
      const reply = await alice.get(url, { 'if-none-match': known })
      expect([known, reply.status, reply.body, reply.headers.etag]).toEqual([known, 304, '', headers.etag])
    }
    expect((await alice.get(url, { 'if-none-match': '"0"' })).status).toBe(200)
  })

  test('changes with every change, and with no other request', async () => {
    const url = urlOf()
    const before = (await alice.get(url)).headers.etag!
    expect((await alice.patch(url, {})).status).toBe(200)
    expect((await alice.get(url)).headers.etag).toBe(before)
    expect((await alice.patch(url, { [field]: `changed ${before}` })).headers.etag).toBeTruthy()
    const after = (await alice.get(url)).headers.etag!
    expect(after).not.toBe(before)
    expect((await alice.patch(url, { [field]: `changed ${before}` })).status).toBe(200)
    expect((await alice.get(url)).headers.etag).toBe(after)
    expect((await alice.get(url, { 'if-none-match': before })).status).toBe(200)
  })

  test('guards a change against concurrent changes', async () => {
    const url = urlOf()
    const stale = (await alice.get(url)).headers.etag!
    await alice.patch(url, { [field]: `first ${stale}` })
    const fresh = await alice.get(url)
    const [current, version] = [fresh.headers.etag!, versionOf(fresh)]
    for (const known of [stale, `W/${current}`, '"0"', 'nonsense']) {
      const refused = await alice.patch(url, { [field]: 'second' }, { 'if-match': known })
      expect([known, refused.status, refused.body.code]).toEqual([known, 412, 'precondition_failed'])
      expect(versionOf(refused)).toBe(version)
      const kept = await alice.delete(url, { 'if-match': known })
      expect([known, kept.status, versionOf(kept)]).toEqual([known, 412, version])
    }
    expect((await alice.get(url)).body[field]).toBe(`first ${stale}`)
    const retried = await alice.patch(url, { [field]: 'retried' }, { 'if-match': `"${version}"` })
    expect([retried.status, retried.body[field]]).toEqual([200, 'retried'])
    const { etag } = (await alice.get(url)).headers
    const changed = await alice.patch(url, { [field]: 'third' }, { 'if-match': `"0", ${etag}` })
    expect([changed.status, changed.body[field]]).toEqual([200, 'third'])
    const again = await alice.patch(url, { [field]: 'fourth' }, { 'if-match': changed.headers.etag! })
    expect([again.status, again.body[field]]).toEqual([200, 'fourth'])
    expect((await alice.patch(url, { [field]: 'fifth' }, { 'if-match': '*' })).status).toBe(200)
  })
})

test('the ETag of an agent with its relations changes with them', async () => {
  const block = (await alice.post('/v1/blocks/', { label: 'etag', value: 'a' })).body
  const { id } = (await alice.post('/v1/agents/', { name: 'Etag', block_ids: [block.id] })).body
  const url = `/v1/agents/${id}?include=agent.blocks`
  const before = (await alice.get(url)).headers.etag!
  expect((await alice.get(url, { 'if-none-match': before })).status).toBe(304)
  await alice.patch(`/v1/blocks/${block.id}`, { value: 'b' })
  const after = await alice.get(url, { 'if-none-match': before })
  expect([after.status, after.body.blocks[0].value]).toEqual([200, 'b'])
})

describe('a change guarded by the ETag of an agent with its relations', () => {
  const RELATIONS = 'include=agent.blocks&include=agent.tools'
  let block: { id: string }
  let made: Reply<{ id: string }>
  const url = () => `/v1/agents/${made.body.id}`
  const rename = (name: string, etag: string) => alice.patch(url(), { name }, { 'if-match': etag })
  const etagOf = async (query = RELATIONS) => (await alice.get(`${url()}?${query}`)).headers.etag!
  beforeAll(async () => {
    block = (await alice.post('/v1/blocks/', { label: 'guarded', value: 'a' })).body
    made = await alice.post('/v1/agents/', { name: 'Guarded', block_ids: [block.id] })
  })

  test('is made while the relations are as they were, also below the agent, and by the ETag of a change', async () => {
    const tool = (await alice.get('/v1/tools/?limit=1')).body[0].id
    const first = await rename('First', made.headers.etag!)
    const second = await rename('Second', `"0", ${first.headers.etag}`)
    const attach = (path: string, etag: string) => alice.patch(url() + path, undefined, { 'if-match': etag })
    const third = await attach(`/tools/attach/${tool}`, await etagOf())
    expect([first.status, second.status, third.status]).toEqual([200, 200, 200])
    expect((await rename('Third', await etagOf('include=agent.blocks'))).body.name).toBe('Third')
    const read = await etagOf()
    expect((await server.bob.patch(url(), { name: 'Bob' }, { 'if-match': read })).status).toBe(404)
    const onLetta = (await alice.get(`/letta${url()}?${RELATIONS}`)).headers.etag!
    expect((await alice.patch(`/letta${url()}`, { name: 'Fourth' }, { 'if-match': onLetta })).body.name).toBe('Fourth')
  })

  test('is refused when a block has changed since, and for an ETag that no response had', async () => {
    const stale = await etagOf()
    const { version, hash } = /^"(?<version>\d+)\.(?<hash>[\w-]+)/.exec(stale)!.groups!
    await alice.patch(`/v1/blocks/${block.id}`, { value: `after ${stale}` })
    const fresh = await etagOf()
    const invented = [
      `"${version}.${hash}"`,
      `"${version}.x"`,
      fresh.replace('tools', 'tags'),
      fresh.replace('?', 'x?'),
    ]
    for (const etag of [stale, ...invented, ...invented.map((one) => `${one}, ${stale}`)]) {
      const refused = await rename('Stale', etag)
      expect([etag, refused.status, refused.body.code]).toEqual([etag, 412, 'precondition_failed'])
      expect((await alice.delete(url(), { 'if-match': etag })).status).toBe(412)
    }
    expect((await rename('Fresh', fresh)).body.name).toBe('Fresh')
  })
})

describe('a list', () => {
  const LISTS = [
    'agents',
    'archives',
    'blocks',
    'folders',
    'groups',
    'identities',
    'tools',
    'tags',
    'api-keys',
    'admin/users',
  ]
  const nextOf = (headers: Record<string, string | undefined>) =>
    /^<([^>]+)>; rel="next"$/.exec(headers.link ?? '')?.[1]

  beforeAll(async () => {
    for (const name of ['Ann', 'Ben', 'Cleo']) await populate(server.bob, server.database, name)
  })

  test.each(LISTS)('of %s names the next page exactly when there is one', async (name) => {
    const whole = (await server.bob.get(`/v1/${name}/?limit=200`)).body
    expect(whole.length).toBeGreaterThan(2)
    expect((await server.bob.get(`/v1/${name}/?limit=${whole.length}`)).headers.link).toBeUndefined()
    const last = await server.bob.get(`/v1/${name}/?limit=${whole.length - 1}`)
    const rest = await server.bob.get(nextOf(last.headers)!)
    expect([...last.body, ...rest.body]).toEqual(whole)
    expect(rest.headers.link).toBeUndefined()
    const walked: unknown[] = []
    let url: string | undefined = `/v1/${name}/?limit=2`
    while (url) {
      const { body, headers } = await server.bob.get<unknown[]>(url)
      expect(body.length).toBeGreaterThan(0)
      walked.push(...body)
      url = nextOf(headers)
      if (url) expect(url).toContain('limit=2')
    }
    expect(walked).toEqual(whole)
  })

  test('repeats its query parameters in the link to its next page', async () => {
    for (let n = 0; n < 3; n++) await alice.post('/v1/blocks/', { label: 'a b&c', value: 'x', tags: ['t,&', 'u'] })
    const tags = `tags=${encodeURIComponent('t,&')}&tags=u&match_all_tags=true`
    const first = await alice.get(`/v1/blocks/?${tags}&limit=2&order=desc`)
    const second = await alice.get(nextOf(first.headers)!)
    expect([first.body.length, second.body.length, second.headers.link]).toEqual([2, 1, undefined])
    expect(nextOf(first.headers)).toContain('order=desc')
  })
})

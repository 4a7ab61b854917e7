import { describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../test/server.ts'

const server = useTestServer()

const UNKNOWN = 'block-00000000-0000-4000-8000-000000000000'

const make = async (client: Client, body: object = {}) =>
  (await client.post('/v1/blocks/', { label: 'human', value: 'Ada', ...body })).body
const makeAgent = async (client: Client, body: object = {}) =>
  (await client.post('/v1/agents/', { name: 'A', model: 'openai/gpt-4o-mini', ...body })).body
const makeIdentity = async (client: Client, identifier_key: string) =>
  (await client.post('/v1/identities/', { identifier_key, name: identifier_key, identity_type: 'user' })).body
const etagOf = async (client: Client, id: string) => (await client.get(`/v1/blocks/${id}`)).headers.etag!

describe('a block', () => {
  test('is what it was made to be, until it is deleted', async () => {
    const { alice } = server
    const made = await alice.post('/v1/blocks/', {
      label: 'human',
      value: 'Ada',
      description: null,
      tags: ['b', 'a', 'b'],
    })
    expect(made.status).toBe(200)
    expect(made.body).toEqual({
      id: expect.stringMatching(/^block-/),
      label: 'human',
      value: 'Ada',
      limit: 100_000,
      metadata: {},
      read_only: false,
      is_template: false,
      preserve_on_migration: false,
      tags: ['b', 'a'],
      created_by_id: expect.any(String),
      last_updated_by_id: expect.any(String),
    })
    const url = `/v1/blocks/${made.body.id}`
    expect((await alice.get(url)).body).toEqual(made.body)
    const gone = await alice.delete(url)
    expect([gone.status, gone.body, gone.headers['content-type']]).toEqual([
      200,
      null,
      'application/json; charset=utf-8',
    ])
    expect((await alice.get(url)).status).toBe(404)
    expect((await alice.delete(url)).status).toBe(404)
  })

  test('has no limit and no tags where they are null, whether it is made so or changed', async () => {
    const { alice } = server
    const none = { limit: null, tags: null }
    const value = 'x'.repeat(100_001)
    const { id: made, ...one } = await make(alice, { value, ...none })
    const { id } = await make(alice, { limit: 10, tags: ['a'] })
    const { id: changed, ...other } = (await alice.patch(`/v1/blocks/${id}`, { value, ...none })).body
    expect(one).toEqual(other)
    expect([one.limit, one.tags, 'limit' in one]).toEqual([undefined, [], false])
    expect(made).not.toBe(changed)
    const agent = await makeAgent(alice, { memory_blocks: [{ label: 'human', value, ...none }] })
    expect('limit' in agent.blocks[0]).toBe(false)
  })

  test('of another organization answers exactly as one that does not exist', async () => {
    const { alice, bob } = server
    const { id } = await make(alice)
    const plain = (body: unknown, own: string) =>
      JSON.stringify({ ...(body as object), request_id: '' }).replaceAll(own, 'ID')
    const identity = 'identity-00000000-0000-4000-8000-000000000000'
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { value: 'x' }],
      ['PATCH', '', {}],
      ['PATCH', '', { limit: 1 }],
      ['DELETE', ''],
      ['GET', '/agents'],
      ['PATCH', `/identities/attach/${identity}`],
      ['PATCH', `/identities/detach/${identity}`],
    ] as const) {
      const foreign = await bob.call(method, `/v1/blocks/${id}${path}`, body)
      const missing = await bob.call(method, `/v1/blocks/${UNKNOWN}${path}`, body)
      expect(foreign.status).toBe(404)
      expect(plain(foreign.body, id)).toBe(plain(missing.body, UNKNOWN))
    }
    expect((await alice.get(`/v1/blocks/${id}`)).body.value).toBe('Ada')
    expect((await bob.get('/v1/blocks?limit=200')).body).toEqual([])
    expect((await bob.get('/v1/blocks/count?show_hidden_blocks=true')).body).toBe(0)
  })

  test('refuses what it does not know, and says what it needs', async () => {
    const { alice } = server
    const unknown = await alice.post('/v1/blocks/', { label: 'a', value: 'b', lable: 'c' })
    expect(unknown.status).toBe(422)
    expect(unknown.body.errors).toEqual([
      { in: 'body', field: 'lable', message: 'is not a known name here; did you mean "label"?' },
    ])
    const empty = await alice.post('/v1/blocks/', {})
    expect(empty.body.errors.map((fault: { field: string }) => fault.field).sort()).toEqual(['label', 'value'])
    for (const body of [
      { value: null },
      { value: 5 },
      { limit: '5' },
      { limit: 2 ** 31 },
      { limit: -1 },
      { tags: [''] },
    ])
      expect((await alice.post('/v1/blocks/', { label: 'a', value: 'b', ...body })).status).toBe(422)
    expect((await alice.get('/v1/blocks/block-1')).status).toBe(422)
  })
})

describe('modifying a block', () => {
  test('changes the fields given, and clears those given as null', async () => {
    const { alice } = server
    const full = {
      value: 'v',
      label: 'persona',
      limit: 10,
      description: 'd',
      metadata: { a: { b: null } },
      read_only: true,
      hidden: true,
      tags: ['one', 'two'],
      is_template: true,
      template_name: 'n',
      template_id: 't',
      base_template_id: 'bt',
      deployment_id: 'dp',
      entity_id: 'e',
      project_id: 'p',
      preserve_on_migration: true,
    }
    const { id } = await make(alice)
    const url = `/v1/blocks/${id}`
    const changed = await alice.patch(url, full)
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({ id, ...full })
    expect(changed.body.metadata).toEqual(full.metadata)
    expect((await alice.get(url)).body).toEqual(changed.body)

    const { value, ...clearable } = full
    const nulls = Object.fromEntries(Object.keys(clearable).map((field) => [field, null]))
    const cleared = await alice.patch(url, nulls)
    expect(cleared.status).toBe(200)
    expect(cleared.body).toEqual({
      id,
      value,
      tags: [],
      created_by_id: expect.any(String),
      last_updated_by_id: expect.any(String),
    })
    const refused = await alice.patch(url, { value: null, description: 'x' })
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'value'])
    expect((await alice.get(url)).body).toEqual(cleared.body)
  })

  test('replaces metadata and tags whole, and stores the empty text', async () => {
    const { alice } = server
    const { id } = await make(alice, { metadata: { a: 1, b: 2 }, tags: ['x', 'y'] })
    const { body } = await alice.patch(`/v1/blocks/${id}`, { metadata: { c: 3 }, tags: ['z', 'z'], value: '' })
    expect(body).toMatchObject({ metadata: { c: 3 }, tags: ['z'], value: '' })
    expect(Object.keys(body.metadata)).toEqual(['c'])
  })

  test('with nothing new makes no new version', async () => {
    const { alice } = server
    const made = await make(alice, { metadata: { a: 1 }, tags: ['x'] })
    const url = `/v1/blocks/${made.id}`
    const etag = await etagOf(alice, made.id)
    const { id: _, created_by_id: __, last_updated_by_id: ___, ...same } = made
    for (const body of [{}, { value: 'Ada' }, same, { description: null }, { limit: 100_000 }]) {
      const reply = await alice.patch(url, body)
      expect([reply.status, reply.headers.etag]).toEqual([200, etag])
      expect(reply.body).toEqual(made)
    }
    expect((await alice.patch(url, { value: 'Eve' })).headers.etag).not.toBe(etag)
  })

  test('may change a read-only one', async () => {
    const { alice } = server
    const { id } = await make(alice, { read_only: true })
    expect((await alice.patch(`/v1/blocks/${id}`, { value: 'x' })).body).toMatchObject({ value: 'x', read_only: true })
  })

  test('never leaves a value longer than the limit, counted in code points, and says both numbers', async () => {
    const { alice } = server
    const tooLong = (reply: { status: number; body: { detail: string } }, length: number, limit: number) => {
      expect(reply.status).toBe(422)
      expect(reply.body.detail).toContain(`${length} characters`)
      expect(reply.body.detail).toContain(`limit of ${limit}`)
    }
    tooLong(await alice.post('/v1/blocks/', { label: 'a', value: 'abcd', limit: 3 }), 4, 3)
    tooLong(await alice.post('/v1/blocks/', { label: 'a', value: 'x'.repeat(100_001) }), 100_001, 100_000)

    const made = await make(alice, { value: '😀😀😀', limit: 3 })
    const url = `/v1/blocks/${made.id}`
    const etag = await etagOf(alice, made.id)
    tooLong(await alice.patch(url, { value: '😀😀😀😀', description: 'x' }), 4, 3)
    tooLong(await alice.patch(url, { limit: 2 }), 3, 2)
    tooLong(await alice.patch(url, { value: 'abcdef', limit: 5 }), 6, 5)
    const kept = await alice.get(url)
    expect([kept.body, kept.headers.etag]).toEqual([made, etag])
    expect((await alice.patch(url, { value: 'abcdef', limit: 6 })).body).toMatchObject({ value: 'abcdef', limit: 6 })
    expect((await alice.patch(url, { value: '', limit: 0 })).body).toMatchObject({ value: '', limit: 0 })
  })
})

describe('many writers of one block', () => {
  test('lose no acknowledged change of another field, when all write at once', async () => {
    const { alice } = server
    const { id } = await make(alice, { metadata: {} })
    const url = `/v1/blocks/${id}`
    const fields = [
      'value',
      'description',
      'label',
      'template_name',
      'project_id',
      'entity_id',
      'deployment_id',
    ] as const
    const written = new Map<string, string[]>(fields.map((field) => [field, []]))
    const replies = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const field = fields[n % fields.length]!
        const reply = await alice.patch(url, { [field]: `${field} ${n}` })
        expect(reply.status).toBe(200)
        expect(reply.body[field]).toBe(`${field} ${n}`)
        written.get(field)!.push(reply.body[field])
        return reply.headers.etag
      }),
    )
    expect(new Set(replies).size).toBe(50)
    const { body } = await alice.get(url)
    for (const field of fields) expect(written.get(field)).toContain(body[field])
  })

  test('that name the version they saw: each version is acknowledged to one alone, as the one after what it saw', async () => {
    const { alice } = server
    const { id } = await make(alice, { value: '' })
    const url = `/v1/blocks/${id}`
    const first = await etagOf(alice, id)
    const successors = new Map<string, string>()
    let refused = 0
    await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        for (let seen = first; ; ) {
          const reply = await alice.patch(url, { value: `writer ${n}` }, { 'if-match': seen })
          if (reply.status === 200) {
            expect(successors.has(seen)).toBe(false)
            successors.set(seen, reply.headers.etag!)
            return
          }
          expect(reply.status).toBe(412)
          expect(reply.headers.etag).not.toBe(seen)
          seen = reply.headers.etag!
          refused += 1
        }
      }),
    )
    expect(refused).toBeGreaterThan(0)
    let etag = first
    for (let n = 0; n < 50; n++) etag = successors.get(etag)!
    expect(etag).toBe(await etagOf(alice, id))
  })

  test('cannot together make the value longer than the limit', async () => {
    const { alice } = server
    const { id } = await make(alice, { value: 'ab', limit: 10 })
    const url = `/v1/blocks/${id}`
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        alice.patch(url, n % 2 ? { limit: 2 + (n % 5) } : { value: 'x'.repeat(n / 4) }),
      ),
    )
    for (const { status, body } of replies) {
      expect([200, 422]).toContain(status)
      if (status === 200) expect(body.value.length).toBeLessThanOrEqual(body.limit)
    }
    const { body } = await alice.get(url)
    expect(body.value.length).toBeLessThanOrEqual(body.limit)
  })

  test('with a stale ETag delete nothing, and are told the current one', async () => {
    const { alice } = server
    const { id } = await make(alice)
    const url = `/v1/blocks/${id}`
    const stale = await etagOf(alice, id)
    const { headers } = await alice.patch(url, { value: 'new' })
    for (const reply of [
      await alice.delete(url, { 'if-match': stale }),
      await alice.patch(url, {}, { 'if-match': stale }),
      await alice.patch(url, { value: 'x'.repeat(100_001) }, { 'if-match': stale }),
    ]) {
      expect([reply.status, reply.headers.etag]).toEqual([412, headers.etag])
    }
    expect((await alice.delete(url, { 'if-match': headers.etag! })).status).toBe(200)
  })
})

describe('blocks and agents', () => {
  test('a block tells the agents that have it, and theirs alone', async () => {
    const { alice, bob } = server
    const block = await make(alice)
    const [one, two] = [
      await makeAgent(alice, { block_ids: [block.id] }),
      await makeAgent(alice, { block_ids: [block.id] }),
    ]
    await makeAgent(alice)
    const url = `/v1/blocks/${block.id}/agents`
    const idsOf = (list: { id: string }[]) => list.map(({ id }) => id)
    expect(idsOf((await alice.get(url)).body)).toEqual([two.id, one.id])
    expect(idsOf((await alice.get(`${url}?order=asc&limit=1`)).body)).toEqual([one.id])
    expect((await alice.get(`${url}?include=agent.blocks`)).body[0].blocks).toEqual([block])
    expect((await bob.get(url)).status).toBe(404)
  })

  test('two blocks of one agent never share a label, whatever is renamed', async () => {
    const { alice } = server
    const agent = await makeAgent(alice, {
      memory_blocks: [
        { label: 'human', value: 'h' },
        { label: 'persona', value: 'p' },
      ],
    })
    const [human, persona] = agent.blocks
    const clash = await alice.patch(`/v1/blocks/${human.id}`, { label: 'persona', value: 'new' })
    expect([clash.status, clash.headers['x-should-retry']]).toEqual([409, 'false'])
    expect((await alice.get(`/v1/blocks/${human.id}`)).body).toEqual(human)
    expect((await alice.patch(`/v1/blocks/${persona.id}`, { label: 'self' })).status).toBe(200)
    expect((await alice.patch(`/v1/blocks/${human.id}`, { label: 'persona' })).status).toBe(200)
    const read = (await alice.get(`/v1/agents/${agent.id}?include=agent.blocks`)).body
    expect(read.blocks.map(({ label }: { label: string }) => label)).toEqual(['persona', 'self'])
  })

  test('a deleted block leaves its agents', async () => {
    const { alice } = server
    const block = await make(alice)
    const agent = await makeAgent(alice, { block_ids: [block.id] })
    await alice.delete(`/v1/blocks/${block.id}`)
    expect((await alice.get(`/v1/agents/${agent.id}?include=agent.blocks`)).body.blocks).toEqual([])
  })
})

describe('blocks and identities', () => {
  test('linking and unlinking can be repeated; each real change is a new version', async () => {
    const { alice, bob } = server
    const block = await make(alice)
    const identity = await makeIdentity(alice, 'linked')
    const path = (verb: string, id: string) => `/v1/blocks/${block.id}/identities/${verb}/${id}`
    const before = await etagOf(alice, block.id)
    const linked = await alice.patch(path('attach', identity.id))
    expect(linked.status).toBe(200)
    expect(linked.body).toMatchObject({ id: block.id, value: 'Ada' })
    expect(linked.headers.etag).not.toBe(before)
    expect((await alice.patch(path('attach', identity.id))).headers.etag).toBe(linked.headers.etag)
    const listed = async (query: string) =>
      (await alice.get(`/v1/blocks?${query}`)).body.map((b: { id: string }) => b.id)
    expect(await listed(`identity_id=${identity.id}`)).toEqual([block.id])
    expect(await listed('identifier_keys=linked&identifier_keys=other')).toEqual([block.id])
    expect(await listed(`identifier_keys=linked&identity_id=${identity.id}`)).toEqual([block.id])
    expect((await alice.patch(path('attach', identity.id), undefined, { 'if-match': before })).status).toBe(412)

    const unlinked = await alice.patch(path('detach', identity.id))
    expect(unlinked.headers.etag).not.toBe(linked.headers.etag)
    expect((await alice.patch(path('detach', identity.id))).headers.etag).toBe(unlinked.headers.etag)
    expect(await listed(`identity_id=${identity.id}`)).toEqual([])

    const foreign = await makeIdentity(bob, 'his')
    for (const verb of ['attach', 'detach']) {
      expect((await alice.patch(path(verb, foreign.id))).status).toBe(404)
      expect((await alice.patch(path(verb, 'identity-00000000-0000-4000-8000-000000000000'))).status).toBe(404)
    }
  })
})

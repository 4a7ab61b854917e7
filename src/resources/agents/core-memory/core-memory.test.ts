import { describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../../test/server.ts'

const server = useTestServer()

const UNKNOWN_AGENT = 'agent-00000000-0000-4000-8000-000000000000'
const UNKNOWN_BLOCK = 'block-00000000-0000-4000-8000-000000000000'

const makeAgent = async (client: Client, body: object = {}) =>
  (await client.post('/v1/agents/', { name: 'A', model: 'openai/gpt-4o-mini', ...body })).body
const makeBlock = async (client: Client, label: string) =>
  (await client.post('/v1/blocks/', { label, value: `about ${label}` })).body
const memory = (agent: { id: string }, rest = '') => `/v1/agents/${agent.id}/core-memory${rest}`
const plain = (body: unknown, own: string) =>
  JSON.stringify({ ...(body as object), request_id: '' }).replaceAll(own, 'ID')

describe('the core memory of an agent', () => {
  test('is its blocks and its files', async () => {
    const { alice } = server
    const agent = await makeAgent(alice, { memory_blocks: [{ label: 'human', value: 'Ada' }] })
    const { status, body } = await alice.get(memory(agent))
    expect(status).toBe(200)
    expect(body).toEqual({
      agent_type: agent.agent_type,
      blocks: agent.blocks,
      file_blocks: [],
      git_enabled: false,
      prompt_template: '',
    })
  })

  test('lists its blocks, newest first, page by page', async () => {
    const { alice } = server
    const made = []
    for (const label of ['a', 'b', 'c', 'd', 'e']) made.push(await makeBlock(alice, label))
    const agent = await makeAgent(alice, { block_ids: made.map(({ id }) => id).toReversed() })
    await makeAgent(alice, { memory_blocks: [{ label: 'other', value: '' }] })
    const url = memory(agent, '/blocks')
    expect((await alice.get(url)).body).toEqual(made.toReversed())
    expect((await alice.get(`${url}?order=asc`)).body).toEqual(made)
    const first = await alice.get(`${url}?limit=2`)
    expect(first.body).toEqual([made[4], made[3]])
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.link!)![1]!
    expect((await alice.get(next)).body).toEqual([made[2], made[1]])
    expect((await alice.get(`${url}?before=${made[1].id}&limit=1`)).body).toEqual([made[2]])
  })

  test('has each block by its label, whatever characters the label has', async () => {
    const { alice } = server
    const agent = await makeAgent(alice, {
      memory_blocks: [
        { label: 'human', value: 'Ada' },
        { label: 'notes/über %', value: 'slashed' },
      ],
    })
    const human = await alice.get(memory(agent, '/blocks/human'))
    expect(human.body).toMatchObject({ label: 'human', value: 'Ada' })
    expect(human.headers.etag).toBe('"1"')
    const notes = await alice.get(memory(agent, `/blocks/${encodeURIComponent('notes/über %')}`))
    expect(notes.body.value).toBe('slashed')
    const lacking = await alice.get(memory(agent, '/blocks/persona'))
    expect(lacking.status).toBe(404)
    expect(lacking.body.detail).toBe(`No block with label persona on agent ${agent.id}.`)
  })

  test('is changed by label, with every rule of a block update, for all agents that share the block', async () => {
    const { alice } = server
    const block = await makeBlock(alice, 'shared')
    const [one, two] = [
      await makeAgent(alice, { block_ids: [block.id] }),
      await makeAgent(alice, { block_ids: [block.id] }),
    ]
    const taken = await makeBlock(alice, 'taken')
    await alice.patch(memory(one, `/blocks/attach/${taken.id}`))
    const url = memory(one, '/blocks/shared')
    const changed = await alice.patch(url, { value: 'new', tags: ['t'], limit: 5 }, { 'if-match': '"1"' })
    expect([changed.status, changed.headers.etag]).toEqual([200, '"2"'])
    expect(changed.body).toMatchObject({ id: block.id, value: 'new', tags: ['t'] })
    expect((await alice.get(memory(two, '/blocks/shared'))).body).toEqual(changed.body)
    expect((await alice.patch(url, { value: 'much too long' })).body.detail).toMatch(/13 characters.*limit of 5/)
    expect((await alice.patch(url, { value: 'x' }, { 'if-match': '"1"' })).headers.etag).toBe('"2"')
    expect((await alice.patch(url, { value: null })).status).toBe(422)
    expect((await alice.patch(url, { label: 'taken' })).status).toBe(409)
    expect((await alice.patch(url, { label: 'renamed' })).status).toBe(200)
    expect((await alice.get(url)).status).toBe(404)
    expect((await alice.patch(url, { value: 'x' })).status).toBe(404)
    expect((await alice.get(memory(two, '/blocks/renamed'))).body.id).toBe(block.id)
  })

  test("of another organization's agent is that of an agent that does not exist", async () => {
    const { alice, bob } = server
    const block = await makeBlock(bob, 'human')
    const agent = await makeAgent(alice, { memory_blocks: [{ label: 'human', value: 'Ada' }] })
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/blocks'],
      ['GET', '/blocks/human'],
      ['PATCH', '/blocks/human'],
      ['PATCH', `/blocks/attach/${block.id}`],
      ['PATCH', `/blocks/detach/${agent.blocks[0].id}`],
    ] as const) {
      const body = path === '/blocks/human' && method === 'PATCH' ? { value: 'mine' } : undefined
      const foreign = await bob.call(method, memory(agent, path), body)
      const missing = await bob.call(method, memory({ id: UNKNOWN_AGENT }, path), body)
      expect(foreign.status).toBe(404)
      expect(plain(foreign.body, agent.id)).toBe(plain(missing.body, UNKNOWN_AGENT))
    }
    expect((await alice.get(memory(agent, '/blocks'))).body).toEqual(agent.blocks)
  })
})

describe('attaching and detaching a block', () => {
  test('answers with the whole agent, can be repeated, and each real change is a new ETag', async () => {
    const { alice } = server
    const agent = await makeAgent(alice, { tags: ['kept'] })
    const block = await makeBlock(alice, 'human')
    const etag = (await alice.get(`/v1/agents/${agent.id}`)).headers.etag!
    const attached = await alice.patch(memory(agent, `/blocks/attach/${block.id}`), undefined, { 'if-match': etag })
    expect(attached.status).toBe(200)
    expect(attached.body).toMatchObject({ id: agent.id, tags: ['kept'], blocks: [block], memory: { blocks: [block] } })
    const again = await alice.patch(memory(agent, `/blocks/attach/${block.id}`))
    expect([again.status, again.headers.etag]).toEqual([200, attached.headers.etag])
    const stale = await alice.patch(memory(agent, `/blocks/detach/${block.id}`), undefined, { 'if-match': etag })
    expect(stale.status).toBe(412)

    const detached = await alice.patch(memory(agent, `/blocks/detach/${block.id}`))
    expect([detached.status, detached.body.blocks]).toEqual([200, []])
    expect(detached.headers.etag).not.toBe(attached.headers.etag)
    expect((await alice.get(`/v1/blocks/${block.id}`)).body).toEqual(block)
    const notThere = await alice.patch(memory(agent, `/blocks/detach/${block.id}`))
    expect([notThere.status, notThere.body.detail]).toEqual([404, `No block with id ${block.id} on agent ${agent.id}.`])
  })

  test('refuses a second block of one label', async () => {
    const { alice } = server
    const agent = await makeAgent(alice, { memory_blocks: [{ label: 'human', value: 'Ada' }] })
    const other = await makeBlock(alice, 'human')
    const reply = await alice.patch(memory(agent, `/blocks/attach/${other.id}`))
    expect([reply.status, reply.headers['x-should-retry']]).toEqual([409, 'false'])
    expect((await alice.get(memory(agent, '/blocks'))).body).toEqual(agent.blocks)
  })

  test('of many of one label at once, exactly one gets attached', async () => {
    const { alice } = server
    const agent = await makeAgent(alice)
    const made = await Promise.all(Array.from({ length: 8 }, () => makeBlock(alice, 'human')))
    const replies = await Promise.all(made.map(({ id }) => alice.patch(memory(agent, `/blocks/attach/${id}`))))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
    expect((await alice.get(memory(agent, '/blocks'))).body).toHaveLength(1)
  })

  test("cannot reach another organization's block, nor tell it from an unknown one", async () => {
    const { alice, bob } = server
    const agent = await makeAgent(bob)
    const hers = await makeBlock(alice, 'secret')
    for (const verb of ['attach', 'detach']) {
      const foreign = await bob.patch(memory(agent, `/blocks/${verb}/${hers.id}`))
      const missing = await bob.patch(memory(agent, `/blocks/${verb}/${UNKNOWN_BLOCK}`))
      expect(foreign.status).toBe(404)
      expect(plain(foreign.body, hers.id)).toBe(plain(missing.body, UNKNOWN_BLOCK))
    }
    expect((await bob.get(memory(agent, '/blocks'))).body).toEqual([])
  })
})

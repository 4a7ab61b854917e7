import { sql } from 'kysely'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type Reply, useTestServer } from './server.ts'

const MANY = 50

const server = useTestServer()
let alice: Client
beforeAll(() => {
  alice = server.alice
})

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

/** Replies that should not have come, in few words. */
const told = (replies: readonly Reply<unknown>[]) =>
  replies.map(({ status, body }) => `${status} ${(body as { detail?: string }).detail}`)

/** Sends many requests at once. None may fail in a way that isn't the caller's. */
async function atOnce<T extends Reply<unknown>>(count: number, send: (n: number) => Promise<T>): Promise<T[]> {
  const replies = await Promise.all(numbers(count).map(send))
  expect(told(replies.filter(({ status }) => status >= 500))).toEqual([])
  return replies
}

const tally = (replies: readonly { status: number }[]) =>
  Object.fromEntries([...Map.groupBy(replies, ({ status }) => status)].map(([status, group]) => [status, group.length]))

const makeBlock = async (label: string, value = '') => (await alice.post('/v1/blocks', { label, value })).body
const makeAgent = async (body: object = {}) =>
  (await alice.post('/v1/agents', { name: 'A', model: 'openai/gpt-4o-mini', include_base_tools: false, ...body })).body
const attachBlock = (agent: { id: string }, block: { id: string }) =>
  alice.patch(`/v1/agents/${agent.id}/core-memory/blocks/attach/${block.id}`)
const versionOf = (reply: Reply<unknown>) => Number(/^"(\d+)/.exec(reply.headers.etag ?? '')?.[1])

interface Revision {
  version: number
  operation: string
  resource: Record<string, unknown>
}

async function historyOf(id: string): Promise<Revision[]> {
  const { rows } = await sql<Revision>`select version, operation, resource from revisions where resource_id = ${id}
    order by sequence`.execute(server.database.kysely)
  return rows
}

// After each test, the history of every resource holds the versions 1 to n in order, and n is the resource's version.
afterEach(async () => {
  const { rows } = await sql<{ resource_id: string; versions: number[] }>`
    select resource_id, jsonb_agg(version order by sequence) as versions from revisions
    where operation <> 'delete' group by resource_id`.execute(server.database.kysely)
  for (const { versions } of rows) expect(versions).toEqual(numbers(versions.length).map((n) => n + 1))
  const logged = new Map(rows.map(({ resource_id, versions }) => [resource_id, versions.length]))
  for (const table of ['agents', 'archives', 'blocks', 'folders', 'groups', 'identities', 'tools']) {
    const live = await sql<{ id: string; version: number }>`select id, version from ${sql.table(table)}`.execute(
      server.database.kysely,
    )
    expect(live.rows.filter(({ id, version }) => logged.get(id) !== version)).toEqual([])
  }
})

describe('many writers of one block', () => {
  test('lose no field of a write that the server acknowledged', async () => {
    const { id } = await makeBlock('start')
    const url = `/v1/blocks/${id}`
    const texts = ['value', 'label', 'description', 'template_name', 'deployment_id', 'entity_id', 'project_id']
    const writes = numbers(MANY).map((n): [string, unknown] => {
      const field = [...texts, 'limit', 'metadata', 'tags'][n % 10]!
      const value = { limit: 1000 + n, metadata: { n }, tags: [`t${n}`] }[field] ?? `${field} ${n}`
      return [field, value]
    })
    const [replies] = await Promise.all([
      atOnce(MANY, (n) => alice.patch(url, { [writes[n]![0]]: writes[n]![1] })),
      // Writers of nothing make no version.
      atOnce(10, () => alice.patch(url, {})),
    ])
    expect(tally(replies)).toEqual({ 200: MANY })
    expect(replies.map(versionOf).sort((a, b) => a - b)).toEqual(numbers(MANY).map((n) => n + 2))

    const final = await alice.get(url)
    expect(versionOf(final)).toBe(MANY + 1)
    const history = await historyOf(id)
    expect(history).toHaveLength(MANY + 1)
    const last = new Map<string, { version: number; value: unknown }>()
    for (const [n, [field, value]] of writes.entries()) {
      const version = versionOf(replies[n]!)
      expect(replies[n]!.body[field]).toEqual(value)
      expect(history[version - 1]!.resource[field]).toEqual(value)
      if (version > (last.get(field)?.version ?? 0)) last.set(field, { version, value })
    }
    for (const [field, { value }] of last) expect(final.body[field]).toEqual(value)
  })

  test('with equal If-Match headers write once: the others get the new ETag', async () => {
    const { id } = await makeBlock('one')
    const url = `/v1/blocks/${id}`
    const replies = await atOnce(MANY, (n) => alice.patch(url, { value: `${n}` }, { 'if-match': '"1"' }))
    expect(tally(replies)).toEqual({ 200: 1, 412: MANY - 1 })
    expect(new Set(replies.map(({ headers }) => headers.etag))).toEqual(new Set(['"2"']))
    const winner = replies.findIndex(({ status }) => status === 200)
    expect((await alice.get(url)).body.value).toBe(`${winner}`)
  })

  test('increment a counter without a lost update, each with the ETag it has read', async () => {
    const { id } = await makeBlock('counter', '0')
    const url = `/v1/blocks/${id}`
    const acknowledged = await Promise.all(
      numbers(MANY).map(async () => {
        for (;;) {
          const read = await alice.get(url)
          const value = `${Number(read.body.value) + 1}`
          const reply = await alice.patch(url, { value }, { 'if-match': read.headers.etag! })
          expect([200, 412]).toContain(reply.status)
          if (reply.status === 200) return versionOf(reply)
          expect(versionOf(reply)).toBeGreaterThan(versionOf(read))
        }
      }),
    )
    expect(acknowledged.sort((a, b) => a - b)).toEqual(numbers(MANY).map((n) => n + 2))
    const final = await alice.get(url)
    expect([final.body.value, final.headers.etag]).toEqual([`${MANY}`, `"${MANY + 1}"`])
  })

  test('that update and delete it at once: one delete succeeds, each update succeeds or is a 404', async () => {
    const bodies = { blocks: { label: 'x', value: '' }, archives: { name: 'x' }, folders: { name: 'x' } }
    const agents = { name: 'x', model: 'openai/gpt-4o-mini', memory_blocks: [{ label: 'x', value: '' }] }
    for (const [list, body] of Object.entries({ ...bodies, agents })) {
      const { id } = (await alice.post(`/v1/${list}`, body)).body
      const url = `/v1/${list}/${id}`
      const replies = await atOnce(MANY, (n) =>
        n % 5 === 3 ? alice.delete(url) : alice.patch(url, { description: `${n}` }),
      )
      const deletes = replies.filter((_, n) => n % 5 === 3)
      const updates = replies.filter((_, n) => n % 5 !== 3)
      expect(deletes.filter(({ status }) => status < 300)).toHaveLength(1)
      expect(deletes.filter(({ status }) => status === 404)).toHaveLength(deletes.length - 1)
      expect(told(updates.filter(({ status }) => status !== 200 && status !== 404))).toEqual([])
      expect((await alice.get(url)).status).toBe(404)
      const history = await historyOf(id)
      expect(history.map(({ operation }) => operation)).toEqual([
        'create',
        ...updates.filter(({ status }) => status === 200).map(() => 'update'),
        'delete',
      ])
    }
  })
})

describe('many writers of one agent', () => {
  test('that replace its tags, tools and blocks: the last set stays whole, and each response shows its own set', async () => {
    const tools = (await alice.get('/v1/tools?limit=20')).body as { id: string }[]
    const blocks = await Promise.all(numbers(MANY).map((n) => makeBlock(`l${n}`)))
    const agent = await makeAgent()
    const setOf = (n: number) => ({
      tags: [`w${n}`, 'all'],
      tool_ids: numbers(3).map((m) => tools[(n + m) % tools.length]!.id),
      block_ids: [blocks[n]!.id, blocks[(n + 1) % MANY]!.id],
    })
    const setIn = ({ tags, tools, blocks }: { tags: string[]; tools: { id: string }[]; blocks: { id: string }[] }) => ({
      tags,
      tool_ids: tools.map(({ id }) => id),
      block_ids: blocks.map(({ id }) => id),
    })
    const replies = await atOnce(MANY, (n) => alice.patch(`/v1/agents/${agent.id}`, setOf(n)))
    expect(tally(replies)).toEqual({ 200: MANY })
    const include = ['tags', 'tools', 'blocks'].map((relation) => `include=agent.${relation}`).join('&')
    const final = await alice.get(`/v1/agents/${agent.id}?${include}`)
    const writer = Number(final.body.tags[0].slice(1))
    expect(setIn(final.body)).toEqual(setOf(writer))
    expect(versionOf(final)).toBe(MANY + 1)
    expect(replies.map(({ body }) => setIn(body))).toEqual(numbers(MANY).map(setOf))
    expect(replies.map(versionOf).sort((a, b) => a - b)).toEqual(numbers(MANY).map((n) => n + 2))
  })

  test('that attach blocks of one label: one block is attached', async () => {
    const agent = await makeAgent()
    const blocks = await Promise.all(numbers(MANY).map(() => makeBlock('human')))
    const replies = await atOnce(MANY, (n) => attachBlock(agent, blocks[n]!))
    expect(tally(replies)).toEqual({ 200: 1, 409: MANY - 1 })
    for (const { status, headers } of replies) if (status === 409) expect(headers['x-should-retry']).toBe('false')
    const attached = (await alice.get(`/v1/agents/${agent.id}/core-memory/blocks`)).body
    const winner = replies.findIndex(({ status }) => status === 200)
    expect(attached.map(({ id }: { id: string }) => id)).toEqual([blocks[winner]!.id])
  })

  test('that attach an archive each: one is attached; attaching the same archive twice is one change', async () => {
    const agent = await makeAgent()
    const made = await Promise.all(numbers(MANY).map(() => alice.post('/v1/archives', { name: 'X' })))
    const replies = await atOnce(MANY, (n) => alice.patch(`/v1/agents/${agent.id}/archives/attach/${made[n]!.body.id}`))
    expect(tally(replies)).toEqual({ 200: 1, 409: MANY - 1 })
    expect((await alice.get(`/v1/archives?agent_id=${agent.id}`)).body).toHaveLength(1)
    const block = await makeBlock('same')
    expect(tally(await atOnce(MANY, () => attachBlock(agent, block)))).toEqual({ 200: MANY })
    expect(await historyOf(agent.id)).toHaveLength(3)
  })
})

describe('names and labels', () => {
  test('of many folders made with one name at once, one is made', async () => {
    const replies = await atOnce(MANY, () => alice.post('/v1/folders', { name: 'Papers' }))
    expect(tally(replies)).toEqual({ 200: 1, 409: MANY - 1 })
    expect((await alice.get('/v1/folders?name=Papers')).body).toHaveLength(1)
    // Another organization's names are its own.
    expect((await server.bob.post('/v1/folders', { name: 'Papers' })).status).toBe(200)
  })

  test('an agent never has two blocks of one label, however renames and attachments interleave', async () => {
    for (const round of numbers(5)) {
      const pairs = await Promise.all(
        numbers(8).map(async () => {
          const [held, free] = await Promise.all([makeBlock('a'), makeBlock('b')])
          return { agent: await makeAgent({ block_ids: [held.id] }), held, free }
        }),
      )
      const rename = (block: { id: string }, label: string) => alice.patch(`/v1/blocks/${block.id}`, { label })
      const races = [
        ({ agent, free }: (typeof pairs)[0]) => attachBlock(agent, free),
        ({ free }: (typeof pairs)[0]) => rename(free, 'a'),
        ({ held }: (typeof pairs)[0]) => rename(held, 'b'),
      ]
      const order = [races[round % 3]!, races[(round + 1) % 3]!, races[(round + 2) % 3]!]
      const replies = await atOnce(pairs.length * 3, (n) => order[n % 3]!(pairs[Math.floor(n / 3)]!))
      // Both blocks are there all the time: refusing them can only be about the label.
      expect(told(replies.filter(({ status }) => status !== 200 && status !== 409))).toEqual([])
      for (const { agent } of pairs) {
        const labels = (await alice.get(`/v1/agents/${agent.id}/core-memory/blocks`)).body.map(
          (block: { label: string }) => block.label,
        )
        expect(labels).toEqual([...new Set(labels)])
        for (const label of labels) {
          expect((await alice.get(`/v1/agents/${agent.id}/core-memory/blocks/${label}`)).body.label).toBe(label)
        }
      }
    }
  })

  test('blocks can be renamed and deleted while agents attach and detach them', async () => {
    const blocks = await Promise.all(numbers(10).map((n) => makeBlock(`r${n}`)))
    const ids = blocks.map(({ id }) => id)
    const agents = await Promise.all(numbers(4).map(() => makeAgent({ block_ids: ids })))
    const doomed = new Set(ids.slice(0, 5))
    const replies = await atOnce(MANY, (n) => {
      const id = ids[n % 10]!
      const agent = agents[n % 4]!
      if (n % 5 === 0) return alice.patch(`/v1/agents/${agent.id}`, { block_ids: n % 2 ? ids : ids.toReversed() })
      if (n % 5 === 1) return alice.patch(`/v1/blocks/${id}`, { label: `again${n}` })
      if (n % 5 === 2) return attachBlock(agent, { id })
      if (n % 5 === 3) return alice.patch(`/v1/agents/${agent.id}/core-memory/blocks/detach/${id}`)
      return doomed.has(id) ? alice.delete(`/v1/blocks/${id}`) : alice.patch(`/v1/blocks/${id}`, { value: `${n}` })
    })
    expect(told(replies.filter(({ status }) => ![200, 404].includes(status)))).toEqual([])
    for (const id of ids.slice(5)) expect((await alice.get(`/v1/blocks/${id}`)).status).toBe(200)
  })
})

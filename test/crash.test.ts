import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, caller, createStore, type Store } from './process.ts'

const ROUNDS = 4
const CLIENTS = 4
const KEY = 'key-of-the-crash-test'

let store: Store
beforeAll(async () => {
  store = await createStore()
})
afterAll(() => store.drop())

type Call = ReturnType<typeof caller>

/** How far a write got, as its client knows: sent, or acknowledged too. */
interface Count {
  id: string
  sent: number
  acknowledged: number
}

/** The clients' knowledge of sent and acknowledged writes, over all rounds. */
interface Ledger {
  counters: Count[]
  /** By name: whether the agent was acknowledged, and how far its deletion got. */
  agents: Map<
    string,
    { made: boolean; id?: string; deletion?: 'sent' | 'acknowledged'; sleeptime: boolean; tag: Count }
  >
}

const ok = (answer: Answer) => {
  expect(answer.status).toBe(200)
  return answer.body
}

/** Every resource of a list, by its `Link`s. */
async function everyOne(call: Call, path: string) {
  const found = []
  for (let next: string | undefined = path; next; ) {
    const answer: Answer = await call('GET', next)
    found.push(...ok(answer))
    next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  return found
}

/** Writes until the connection breaks: counts, makes agents with all their parts, changes them and deletes them. */
async function write(call: Call, ledger: Ledger, client: number, round: number, acknowledged: () => void) {
  const counter = ledger.counters[client]!
  let last: string | undefined
  for (let n = 0; ; n++) {
    const name = `agent ${round} ${client} ${n}`
    if (n % 4 === 0) {
      const sleeptime = n % 8 === 0
      const agent = { made: false, sleeptime, tag: { id: '', sent: 0, acknowledged: 0 } }
      ledger.agents.set(name, agent)
      const body = {
        name,
        model: 'openai/gpt-4o-mini',
        memory_blocks: ['human', 'persona'].map((label) => ({ label, value: name })),
        tags: ['n0', 'kept'],
        secrets: { NAME: name },
        enable_sleeptime: sleeptime,
      }
      Object.assign(agent, { id: ok(await call('POST', '/v1/agents', body)).id, made: true })
      last = name
    } else if (n % 4 === 3 && last) {
      const agent = ledger.agents.get(last)!
      if (n % 16 === 15) {
        agent.deletion = 'sent'
        ok(await call('DELETE', `/v1/agents/${agent.id}`))
        agent.deletion = 'acknowledged'
        last = undefined
      } else {
        agent.tag.sent++
        ok(await call('PATCH', `/v1/agents/${agent.id}`, { tags: [`n${agent.tag.sent}`, 'kept'] }))
        agent.tag.acknowledged = agent.tag.sent
      }
    } else {
      counter.sent++
      ok(await call('PATCH', `/v1/blocks/${counter.id}`, { value: `${counter.sent}` }))
      counter.acknowledged = counter.sent
    }
    acknowledged()
  }
}

/** Every acknowledged row is there, and every row that is there was sent and is complete. */
async function check(call: Call, { counters, agents }: Ledger) {
  for (const counter of counters) {
    const block = await call('GET', `/v1/blocks/${counter.id}`)
    const value = Number(ok(block).value)
    expect(value).toBeGreaterThanOrEqual(counter.acknowledged)
    expect(value).toBeLessThanOrEqual(counter.sent)
    // Each write was one version.
    expect(block.headers.get('etag')).toBe(`"${value + 1}"`)
    counter.sent = counter.acknowledged = value
  }

  const relations = ['blocks', 'tools', 'tags', 'secrets', 'managed_group'].map((one) => `include=agent.${one}`)
  const found = await everyOne(call, `/v1/agents?limit=200&show_hidden_agents=true&${relations.join('&')}`)
  const byName = new Map(found.map((agent) => [agent.name, agent]))
  expect(byName.size).toBe(found.length)
  for (const [name, { made, deletion, tag }] of agents) {
    const agent = byName.get(name)
    if (deletion === 'acknowledged') expect(agent).toBeUndefined()
    else if (made && !deletion) expect(agent).toBeDefined()
    if (!agent) continue
    const written = Number(agent.tags[0].slice(1))
    expect(written).toBeGreaterThanOrEqual(tag.acknowledged)
    expect(written).toBeLessThanOrEqual(tag.sent)
    tag.sent = tag.acknowledged = written
  }
  let partners = 0
  for (const agent of found) {
    const managed = agent.name.replace(/-sleeptime$/, '')
    const { sleeptime } = agents.get(managed)!
    expect(agent.tools).not.toEqual([])
    if (managed !== agent.name) {
      partners++
      expect(byName.get(managed)?.managed_group.agent_ids).toEqual([agent.id])
      expect(agent.blocks).toHaveLength(3)
      continue
    }
    expect(agent.blocks.map(({ value }: { value: string }) => value)).toEqual([managed, managed])
    expect(agent.tags).toContain('kept')
    expect(agent.secrets).toMatchObject([{ key: 'NAME', value: managed }])
    expect(agent.managed_group !== undefined).toBe(sleeptime)
    expect(byName.has(`${managed}-sleeptime`)).toBe(sleeptime)
  }
  expect(await everyOne(call, '/v1/groups?limit=200&show_hidden_groups=true')).toHaveLength(partners)
  // No block of an agent that was never made whole; those of deleted agents stay.
  for (const { label, value } of await everyOne(call, '/v1/blocks?limit=200')) {
    if (label === 'human') expect(byName.has(value) || agents.get(value)?.deletion !== undefined).toBe(true)
  }
}

test('a server killed at any moment under load loses no acknowledged write and stores no partial one', {
  timeout: 240_000,
}, async () => {
  const ledger: Ledger = { counters: [], agents: new Map() }
  for (let round = 0; round < ROUNDS; round++) {
    const server = await store.serve({ CAIRN_API_KEY: KEY, LOG_LEVEL: 'warn' })
    const call = caller(server.url, KEY)
    if (round === 0) {
      for (let client = 0; client < CLIENTS; client++) {
        const { id } = ok(await call('POST', '/v1/blocks', { label: 'counter', value: '0' }))
        ledger.counters.push({ id, sent: 0, acknowledged: 0 })
      }
    }
    await check(call, ledger)

    let left = randomInt(20, 200)
    const killed = Promise.withResolvers<unknown>()
    const acknowledged = () => {
      if (--left === 0) killed.resolve(server.kill('SIGKILL'))
    }
    const writers = Array.from({ length: CLIENTS }, (_, n) => write(call, ledger, n, round, acknowledged))
    for (const { reason } of (await Promise.allSettled(writers)) as PromiseRejectedResult[]) {
      // Nothing but the broken connection ends a writer.
      expect(reason).toBeInstanceOf(TypeError)
    }
    expect(await killed.promise).toMatchObject({ signal: 'SIGKILL' })
  }
  const server = await store.serve({ LOG_LEVEL: 'warn' })
  await check(caller(server.url, KEY), ledger)
  expect(await server.kill('SIGTERM')).toMatchObject({ code: 0 })

  const database = await store.open()
  const { rows } = await sql<{ versions: number[] }>`select jsonb_agg(version order by sequence) as versions
    from revisions where operation <> 'delete' group by resource_id`.execute(database.kysely)
  await database.close()
  for (const { versions } of rows) expect(versions).toEqual(versions.map((_, n) => n + 1))
})

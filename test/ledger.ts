import { expect } from 'vitest'
import type { Answer, caller } from './process.ts'

export type Call = ReturnType<typeof caller>

/** How far a write got, as its client knows: sent, or acknowledged too. */
interface Count {
  id: string
  sent: number
  acknowledged: number
}

/** The clients' knowledge of sent and acknowledged writes, over all rounds. */
export interface Ledger {
  counters: Count[]
  /** By name: whether the agent was acknowledged, and how far its deletion got. */
  agents: Map<
    string,
    { made: boolean; id?: string; deletion?: 'sent' | 'acknowledged'; sleeptime: boolean; tag: Count }
  >
}

/** The body of a response with status 200. */
export const ok = (answer: Answer) => {
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
export async function write(call: Call, ledger: Ledger, client: number, round: number, acknowledged: () => void) {
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
export async function check(call: Call, { counters, agents }: Ledger) {
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

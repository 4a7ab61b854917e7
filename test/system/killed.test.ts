import { randomInt } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest'
import { startScriptedModel } from '../models/scripted/model.ts'
import { caller, createMigratedStore, type Server, type Store } from '../process.ts'
import { eventsIn } from '../replies.ts'

/** The machine may be busy. */
const PATIENT = { timeout: 60_000 }

const KEY = 'key-of-the-killed-servers'
const AGENTS = 6

let store: Store
let file: string
beforeEach(async () => {
  store = await createMigratedStore()
  file = join(store.directory, 'counted')
  writeFileSync(file, '')
})
afterEach(() => store.drop())

/** Starts a server with the tool `count`, whose runs others take over after a second. */
const start = () =>
  store.serve(
    { CAIRN_API_KEY: KEY, COUNT_FILE: file, LEASE_MS: '1000', CAIRN_ALLOWED_NETWORKS: 'loopback', LOG_LEVEL: 'warn' },
    'test/servers/counting.ts',
  )

const callerOf = (server: Server) => caller(server.url, KEY)
type Call = ReturnType<typeof callerOf>

async function makeAgent(call: Call, body: object = {}): Promise<string> {
  const source_code =
    'def count(mark: str) -> str:\n    """Counts.\n\n    Args:\n        mark: What is counted.\n    """\n    return ""\n'
  const { body: tool } = await call('PUT', '/v1/tools/', { source_code })
  const memory = [{ label: 'human', value: 'Ada' }]
  return (await call('POST', '/v1/agents/', { tool_ids: [tool.id], memory_blocks: memory, ...body })).body.id
}

const activeRuns = async (call: Call) => (await call('GET', '/v1/runs/?active=true')).body.length

const linesOf = (value: string, mark: string) => value.split('\n').filter((line) => line === mark).length

test('a server killed at any moment loses no message and repeats no effect', { timeout: 240_000 }, async () => {
  let server = await start()
  let call = callerOf(server)
  const agents = await Promise.all(Array.from({ length: AGENTS }, () => makeAgent(call)))
  const send = (agent: string, n: number) => {
    const mark = `mark ${n}`
    const calls = [
      `!call count ${JSON.stringify({ mark })}`,
      `!call memory_insert ${JSON.stringify({ label: 'human', new_string: mark })}`,
    ]
    return call('POST', `/v1/agents/${agent}/messages/async`, { input: calls.join(' ') })
  }
  const accepted = await Promise.allSettled(agents.map(send))
  await sleep(randomInt(300))
  await server.kill('SIGKILL')
  server = await start()
  call = callerOf(server)
  await vi.waitUntil(async () => (await activeRuns(call)) === 0, PATIENT)
  const counted = readFileSync(file, 'utf8').trim().split('\n')
  for (const [n, agent] of agents.entries()) {
    const result = accepted[n]!
    const { value } = (await call('GET', `/v1/agents/${agent}/core-memory/blocks/human`)).body
    const mark = `mark ${n}`
    if (result.status === 'fulfilled') {
      expect((await call('GET', `/v1/runs/${result.value.body.id}`)).body.status).toBe('completed')
      expect([mark, linesOf(value, mark)]).toEqual([mark, 1])
    }
    expect(counted.filter((other) => other === mark).length).toBeLessThanOrEqual(1)
    expect((await call('POST', `/v1/agents/${agent}/messages`, { input: 'Hello' })).status).toBe(200)
  }
})

test.skipIf(!inject('template').server)(
  'a server that sleeps beyond its lease and wakes again changes nothing',
  { timeout: 240_000 },
  async () => {
    const model = await startScriptedModel()
    const rest = Promise.withResolvers<void>()
    const [first, second] = [await start(), await start()]
    const [call, other] = [callerOf(first), callerOf(second)]
    const agent = await makeAgent(call, {
      llm_config: { model: 'any', model_endpoint_type: 'openai', model_endpoint: model.url, context_window: 32_000 },
    })
    model.add({ text: 'one two three four', pause: { after: 3, until: rest.promise } }, { text: 'five six' })
    const stream = fetch(`${first.url}/v1/agents/${agent}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'Count', streaming: true, stream_tokens: true, background: true }),
    }).then((response) => response.text())
    await vi.waitUntil(() => model.requests.length === 1, PATIENT)
    first.signal('SIGSTOP')
    const runs = async () => (await other('GET', `/v1/runs/?agent_id=${agent}`)).body
    await vi.waitUntil(async () => (await runs())[0]?.status === 'completed', PATIENT)
    const history = async () => (await other('GET', `/v1/agents/${agent}/messages`)).body
    const before = [await runs(), await history()]
    first.signal('SIGCONT')
    rest.resolve()
    // The reader at the first server goes on with what the second one has made.
    const events = eventsIn(await stream)
    expect(events.at(-1)).toMatchObject({ message_type: 'usage_statistics' })
    expect([await runs(), await history()]).toEqual(before)
    expect(before[1].map(({ content }: { content: unknown }) => content)).toContain('five six')
    const { status } = await call('POST', `/v1/agents/${agent}/messages`, { input: 'Hello' })
    expect(status).toBe(200)
    await model.close()
  },
)

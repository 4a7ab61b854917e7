import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { countStatements } from '../../test/count-statements.ts'
import type { Answer } from '../../test/models/answer.ts'
import { type ScriptedModel, startScriptedModel } from '../../test/models/scripted/model.ts'
import { useTestServer } from '../../test/server.ts'
import { createEventLog } from './event-log.ts'
import { ping } from './frames.ts'
import { createEventStore } from './store-events.ts'

const server = useTestServer()
let model: ScriptedModel
beforeAll(async () => {
  model = await startScriptedModel()
})
afterAll(() => model.close())

async function makeAgent(): Promise<string> {
  const { body } = await server.alice.post('/v1/agents/', {
    memory_blocks: [{ label: 'human', value: 'Ada' }],
    llm_config: { model: 'any', model_endpoint_type: 'openai', model_endpoint: model.url, context_window: 32_000 },
  })
  return body.id
}

const insert = (text: string): Answer => ({
  calls: [{ name: 'memory_insert', arguments: { label: 'human', new_string: text } }],
})

/** The statements of a turn with this body. */
async function statementsFor(agent: string, body: object): Promise<number> {
  const { result, statements } = await countStatements(() => server.alice.post(`/v1/agents/${agent}/messages`, body))
  expect(result.status).toBe(200)
  return statements
}

/** The statements of a turn in which the model gives these answers, and then a text. */
function statementsOf(agent: string, ...answers: Answer[]): Promise<number> {
  model.add(...answers, { text: 'Done.' })
  return statementsFor(agent, { input: 'Go' })
}

describe('the statements of a turn', () => {
  test('are as many after fifty messages as after two', async () => {
    const agent = await makeAgent()
    // The first turn compiles the system prompt.
    await statementsOf(agent)
    const few = await statementsOf(agent)
    expect(few).toBeLessThanOrEqual(7)
    for (let n = 0; n < 22; n++) await statementsOf(agent)
    expect(await statementsOf(agent)).toBe(few)
  })

  test('are as many where the caller gives its messages ids', async () => {
    const agent = await makeAgent()
    await statementsOf(agent)
    const few = await statementsOf(agent)
    expect(await statementsFor(agent, { messages: [{ role: 'user', content: 'Go', otid: 'mine' }] })).toBe(few)
  })

  test('are two more for each step that changes the memory, with the begin and the end of a transaction', async () => {
    const agent = await makeAgent()
    await statementsOf(agent)
    const one = await statementsOf(agent, insert('one'))
    await statementsOf(agent)
    const three = await statementsOf(agent, insert('two'), insert('three'), insert('four'))
    expect((three - one) / 2).toBeLessThanOrEqual(4)
  })
})

describe('the events of a stream', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test('of a run are stored twice a second at most, however many tokens come', async () => {
    const run = { id: 'run-1', threadId: 't', agentId: 'a', owner: 'o', fence: 1, hasCallback: false }
    const log = createEventLog(0)
    log.isStored = true
    const wakeUps = { isAlone: true, send() {}, wait: async () => {}, listen: () => async () => {} }
    const query = vi.spyOn(pg.Client.prototype, 'query')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const store = createEventStore(server.database.kysely, wakeUps)
    const { stop } = store.follow(server.organizations.alice, run, log)
    for (let ms = 0; ms < 3_000; ms += 5) {
      log.push(ping('run-1'))
      await vi.advanceTimersByTimeAsync(5)
    }
    stop()
    const stored = query.mock.calls.filter((args) => JSON.stringify(args[0]).includes('insert into run_chunks'))
    query.mockRestore()
    expect(stored.length).toBeGreaterThan(0)
    expect(stored.length).toBeLessThanOrEqual(6)
  })
})

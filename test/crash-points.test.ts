import { AsyncLocalStorage } from 'node:async_hooks'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readConfig } from '../src/config.ts'
import { findBuiltin } from '../src/runtime/tools/builtin.ts'
import type { FindTool } from '../src/runtime/tools/tool.ts'
import { type StrictProviders, startStrictProviders } from './models/strict.ts'
import { type Client, startTestServer, type TestServer } from './server.ts'

/** The machine may be busy. */
const PATIENT = { timeout: 60_000 }

/** The end of a server at one of the statements of a turn: before it is sent, or once it has run. */
interface Crash {
  statement: number
  when: 'before' | 'after'
  crashed: boolean
  sent: number
}

const crashes = new AsyncLocalStorage<Crash>()
const { query } = pg.Client.prototype

type Callback = (error: Error | null, result?: unknown) => void

/** Sends statements, unless the turn that they belong to has crashed: then none of them gets through any more. */
function sendUnlessCrashed(this: pg.Client, statement: { text?: string }, callback: Callback): unknown {
  const crash = crashes.getStore()
  const text = String(statement.text ?? statement)
  // The end of a process undoes its transactions.
  if (!crash || /^rollback/i.test(text)) {
    return (query as (...values: unknown[]) => unknown).call(this, statement, callback)
  }
  const fail = () => callback(new Error('The server has ended.'))
  if (crash.crashed) return process.nextTick(fail)
  crash.crashed = ++crash.sent === crash.statement
  // A transaction that had begun would stay open here: the connection outlives the crash.
  if (crash.crashed && (crash.when === 'before' || /^(begin|start)/i.test(text))) return process.nextTick(fail)
  return (query as (...values: unknown[]) => unknown).call(this, statement, crash.crashed ? fail : callback)
}

/** The marks that a tool with an effect outside of the database has counted. */
const counted: string[] = []

const findTool: FindTool = (tool) =>
  tool.name === 'count'
    ? {
        outside: 'once',
        async run({ mark }) {
          counted.push(String(mark))
          return `Counted ${mark}.`
        },
      }
    : findBuiltin(tool)

let server: TestServer
let alice: Client
let strict: StrictProviders
let tool: string
beforeAll(async () => {
  strict = await startStrictProviders()
  const { providers } = readConfig(strict.settings)
  const supervision = { leaseMs: 60_000, renewMs: 100 }
  server = await startTestServer({ defaultModel: 'cairn/scripted', providers }, { findTool, supervision })
  alice = server.alice
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  await vi.waitUntil(async () => {
    const handles = (await alice.get('/v1/models/')).body.map(({ handle }: { handle: string }) => handle)
    return strict.handles.every((handle) => handles.includes(handle))
  }, PATIENT)
  const source_code =
    'def count(mark: str) -> str:\n    """Counts.\n\n    Args:\n        mark: What is counted.\n    """\n    return ""\n'
  tool = (await alice.call('PUT', '/v1/tools/', { source_code })).body.id
  pg.Client.prototype.query = sendUnlessCrashed as typeof query
})
afterAll(async () => {
  pg.Client.prototype.query = query
  await server.close()
  await strict.close()
})

/** A turn with two calls, whose server ends at a statement. Returns the agent, the mark of its turn, and the statements sent. */
async function turn(statement: number, when: Crash['when']) {
  const mark = `${when} ${statement}`
  const body = { name: mark, tool_ids: [tool], memory_blocks: [{ label: 'human', value: 'Ada' }] }
  const agent: string = (await alice.post('/v1/agents/', body)).body.id
  const input =
    `!call memory_insert ${JSON.stringify({ label: 'human', new_string: mark })} ` +
    `!call count ${JSON.stringify({ mark })}`
  const crash: Crash = { statement, when, crashed: false, sent: 0 }
  await crashes.run(crash, () => alice.post(`/v1/agents/${agent}/messages`, { input }))
  return { agent, mark, sent: crash.sent }
}

/** Expects that the turn of an agent ended as if nothing had happened, but for a call whose outcome is unknown. */
async function expectWhole({ agent, mark }: { agent: string; mark: string }, handle: string) {
  const runs = async () => (await alice.get(`/v1/runs/?agent_id=${agent}`)).body
  await vi.waitUntil(
    async () => (await runs()).every(({ status }: { status: string }) => status !== 'running'),
    PATIENT,
  )
  const [run] = await runs()
  const times = counted.filter((other) => other === mark).length
  if (run) {
    const messages = (await alice.get(`/v1/agents/${agent}/messages?order=asc`)).body
    const returns = messages.flatMap(({ tool_returns = [] }) => tool_returns)
    const outcome = times === 1 ? /^Counted|unknown/ : /unknown/
    expect([mark, run.status, returns]).toEqual([
      mark,
      'completed',
      [
        expect.objectContaining({ status: 'success' }),
        expect.objectContaining({ tool_return: expect.stringMatching(outcome) }),
      ],
    ])
    const { value } = (await alice.get(`/v1/agents/${agent}/core-memory/blocks/human`)).body
    expect(value).toBe(`Ada\n${mark}`)
  }
  expect(times).toBeLessThanOrEqual(1)
  const next = await alice.post(`/v1/agents/${agent}/messages`, { input: 'And now?', override_model: handle })
  expect([mark, next.status]).toEqual([mark, 200])
}

test('wherever its server ends, a turn is carried on: memory is written once, a tool runs at most once, all go on', async () => {
  const { sent } = await turn(Number.POSITIVE_INFINITY, 'after')
  expect(sent).toBeGreaterThan(8)
  const points = Array.from({ length: sent }, (_, n) => n + 1)
  const turns = await Promise.all(points.flatMap((n) => [turn(n, 'before'), turn(n, 'after')]))
  // The servers of these turns are gone.
  await sql`update runs set owner = 'gone' where status = 'running'`.execute(server.database.kysely)
  const { handles } = strict
  await Promise.all(turns.map((one, n) => expectWhole(one, handles[n % handles.length]!)))
  expect(strict.refusals()).toEqual([])
}, 120_000)

import { sql } from 'kysely'
import { vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { findBuiltin } from '../../src/runtime/tools/builtin.ts'
import type { FindTool } from '../../src/runtime/tools/tool.ts'
import type { Answer, Call } from '../models/answer.ts'
import { type StrictProviders, startStrictProviders } from '../models/strict.ts'
import { type Client, startTestServer, type TestServer } from '../server.ts'
import type { Interruption, Planned, ToolName } from './actions.ts'

/** The machine may be busy. */
export const PATIENT = { timeout: 30_000, interval: 5 }

/** The moments of a run at which a test can interrupt it. */
type Moment = Interruption['at']

/** Two servers on one database, the providers of their models, and tools that count their calls. */
export interface World {
  server: TestServer
  clients: readonly [Client, Client]
  strict: StrictProviders
  tools: string[]
  /** How often the tools ran that may run once, by the id of the call. */
  ran: Map<string, number>
  /** The answers that the models give next; then they say that they are done. */
  plan(answers: readonly Planned[]): void
  /** Sets what happens at moments of the runs. */
  interrupt(react: ((at: Moment) => Promise<unknown>) | undefined): void
  close(): Promise<void>
}

/** A text that appears once in all sequences. */
type NewMark = () => string

function argumentsOf(name: ToolName, newMark: NewMark): Record<string, unknown> {
  if (name === 'memory_insert') return { label: 'human', new_string: `mark ${newMark()}` }
  return name === 'ask_user' ? { question: 'Tea?' } : { mark: newMark() }
}

const TEXTS = { none: {}, short: { text: 'Well.' }, long: { text: 'A long thought. '.repeat(400) } }

/** A planned answer as the model gives it. */
function answerOf({ reasoning, text, calls, sameIds, end }: Planned, newMark: NewMark): Answer {
  if (end === 'refused') return { error: { status: 400, message: 'The script refuses.' } }
  const made = calls.map((name, n): Call => {
    const isCut = end === 'cut' && n === calls.length - 1
    return {
      name,
      arguments: argumentsOf(name, newMark),
      ...(sameIds && { id: `call_${n}` }),
      ...(isCut && { cut: 7 }),
    }
  })
  return {
    ...(reasoning && { reasoning: 'Let me think.' }),
    ...TEXTS[text],
    ...(made.length > 0 && { calls: made }),
    ...(end === 'cut' && { stop: 'length' }),
    ...(end === 'broken' && { cutAfter: 4 }),
  }
}

const source = (name: string) =>
  `def ${name}(mark: str) -> str:\n    """Counts.\n\n    Args:\n        mark: What is counted.\n    """\n    return ""\n`

/** The tools with effects outside of the database. `guarded` needs an approval. */
const KINDS: Record<string, 'once' | 'repeatable'> = { once: 'once', repeatable: 'repeatable', guarded: 'once' }

export async function startWorld(): Promise<World> {
  const ran = new Map<string, number>()
  let marks = 0
  const newMark = () => String(++marks)
  let planned: Planned[] = []
  let react: ((at: Moment) => Promise<unknown>) | undefined

  const findTool: FindTool = (tool) => {
    const outside = KINDS[tool.name ?? '']
    if (!outside) return findBuiltin(tool)
    return {
      outside,
      async run(_args, { callId, author }) {
        const key = `${author.agent_id} ${callId}`
        if (outside === 'once') ran.set(key, (ran.get(key) ?? 0) + 1)
        await react?.('tool')
        return 'Counted.'
      },
    }
  }
  const strict = await startStrictProviders({
    async answers({ body, path }) {
      const offered = path.includes('embed') || body.tools !== undefined
      // A summary needs no tools.
      if (!offered) return { text: 'A summary.' }
      const next = planned.shift()
      await react?.('model')
      const answer = next ? answerOf(next, newMark) : { text: 'Done.' }
      return { ...answer, pause: { after: 3, until: async () => react?.('answer') } }
    },
  })
  const { providers } = readConfig(strict.settings)
  const supervision = { leaseMs: 60_000, renewMs: 50 }
  const server = await startTestServer({ defaultModel: strict.handles[0]!, providers }, { findTool, supervision })
  const { alice } = server
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  await vi.waitUntil(async () => {
    const handles = (await alice.get('/v1/models/')).body.map(({ handle }: { handle: string }) => handle)
    return strict.handles.every((handle) => handles.includes(handle))
  }, PATIENT)
  const tools: string[] = []
  for (const name of Object.keys(KINDS)) {
    tools.push((await alice.call('PUT', '/v1/tools/', { source_code: source(name) })).body.id)
  }
  const second = await server.another()
  return {
    server,
    clients: [alice, second.alice],
    strict,
    tools,
    ran,
    plan(answers) {
      planned = [...answers]
    },
    interrupt(next) {
      react = next
    },
    async close() {
      await server.close()
      await strict.close()
    },
  }
}

/** Has the server that carries out a run be gone; resolves when another one has taken over, or the run is over. */
export async function replaceServer({ server }: World, agent: string): Promise<void> {
  const { kysely } = server.database
  const { rows } = await sql<{ id: string }>`update runs set owner = 'gone'
    where agent_id = ${agent} and status = 'running' returning id`.execute(kysely)
  const ids = rows.map(({ id }) => id)
  await vi.waitUntil(async () => {
    const left =
      await sql`select from runs where id = any(${ids}::text[]) and owner = 'gone' and status = 'running'`.execute(
        kysely,
      )
    return left.rows.length === 0
  }, PATIENT)
}

/** Resolves when no run of an agent is at work or waits. */
export async function awaitQuiet({ server }: World, agent: string): Promise<void> {
  await vi.waitUntil(async () => {
    const { rows } = await sql`select from runs where agent_id = ${agent} and status in ('created', 'running')`.execute(
      server.database.kysely,
    )
    return rows.length === 0
  }, PATIENT)
}

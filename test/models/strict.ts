import type { Answer, Responder } from './answer.ts'
import { startAnthropic } from './anthropic/stub.ts'
import { startGemini } from './gemini/stub.ts'
import { startKimi } from './kimi/stub.ts'
import { startOpenAi } from './openai/stub.ts'
import type { Received, Stub, StubOptions } from './stub.ts'

/** The providers, the variables that a server's settings have for them, and models that think. */
const PROVIDERS = [
  { start: startAnthropic, prefix: 'ANTHROPIC', handles: ['anthropic/claude-sonnet-4-5'] },
  // The first speaks chat completions, the second Responses.
  { start: startOpenAi, prefix: 'OPENAI', handles: ['openai/gpt-4o-mini', 'openai/gpt-5-mini'] },
  { start: startGemini, prefix: 'GEMINI', handles: ['google_ai/gemini-3-pro-preview'] },
  { start: startKimi, prefix: 'MOONSHOT', handles: ['moonshot/kimi-k2.6'] },
] as const

export interface StrictProviders {
  /** The settings of a server that uses the stubs. */
  settings: Record<string, string>
  /** Handles of models, one for each API. */
  handles: readonly string[]
  /** Adds answers to each of the stubs. */
  add(...answers: (Answer | Responder)[]): void
  /** The requests for an answer of a model, by its handle. */
  requests(handle: string): Received[]
  /** The refusals of all stubs: `POST /v1/messages: messages: at least one message is required`. */
  refusals(): string[]
  close(): Promise<void>
}

/** Starts all strict stubs: what sends them a history shows whether every provider would accept it. All have this script. */
export async function startStrictProviders(options: StubOptions = {}): Promise<StrictProviders> {
  const started: { prefix: string; stub: Stub }[] = []
  for (const { start, prefix } of PROVIDERS) started.push({ prefix, stub: await start(options) })
  const stubs = started.map(({ stub }) => stub)
  return {
    settings: Object.fromEntries(
      started.flatMap(({ prefix, stub }) => [
        [`${prefix}_API_KEY`, stub.key],
        [`${prefix}_BASE_URL`, stub.url],
      ]),
    ),
    handles: PROVIDERS.flatMap(({ handles }) => handles),
    add(...answers) {
      for (const stub of stubs) stub.add(...answers)
    },
    requests(handle) {
      const model = handle.slice(handle.indexOf('/') + 1)
      const requests = stubs.flatMap((stub) => stub.requests)
      return requests.filter(({ body, path }) => body !== undefined && (body.model === model || path.includes(model)))
    },
    refusals: () =>
      stubs.flatMap(({ requests }) =>
        requests.flatMap(({ method, path, refused }) =>
          refused === undefined ? [] : [`${method} ${path}: ${refused}`],
        ),
      ),
    async close() {
      await Promise.all(stubs.map((stub) => stub.close()))
    },
  }
}

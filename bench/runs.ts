import { join } from 'node:path'
import { createHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { prepare } from './data/prepare.ts'
import { encodeRequest, keepSending } from './load/connection.ts'
import type { Options } from './options.ts'
import { type Child, startChild } from './processes/child.ts'
import type { ModelRequest } from './processes/model.ts'
import { type Server, startServer } from './processes/server.ts'
import type { Progress } from './progress.ts'

/** A figure beside its limit. */
export interface RunFigure {
  name: string
  value: number
  limit?: string
}

/** Prints each figure beside its limit. */
export function printFigures(figures: readonly RunFigure[]): void {
  for (const { name, value, limit } of figures) {
    console.log(`${name.padEnd(52)} ${value.toFixed(1).padStart(8)}${limit ? `   limit ${limit}` : ''}`)
  }
}

const AGENTS = 200
const STREAMS = 1_000
/** The agents that are made at once. */
const MAKERS = 8
/** Milliseconds between two tokens of the streams that are open at once: each stream takes some twenty seconds. */
const PACE_MS = 200
const PLAIN = 'Hello'
const MEMORY = '!call core_memory_append {"label": "human", "content": "x"}'
const CALLERS = 16

interface Turns {
  p50Ms: number
  perSecond: number
  /** The CPU time of the server for each turn, which other programs of the machine hardly change. */
  cpuMs: number
}

type Post = (path: string, body: object) => Promise<Response>

const headersOf = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })

const poster =
  (origin: string, key: string): Post =>
  (path, body) =>
    fetch(origin + path, { method: 'POST', headers: headersOf(key), body: JSON.stringify(body) })

/** Whole turns for some seconds, each of another agent than the one before. */
async function measureTurns(
  { origin, cpuMs }: Server,
  key: string,
  agents: readonly string[],
  input: string,
  callers: number,
  seconds: number,
): Promise<Turns> {
  const latencies = createHistogram()
  const failed = Promise.withResolvers<never>()
  const host = new URL(origin)
  const headers = headersOf(key)
  let turns = 0
  const cpuBefore = cpuMs()
  const stops = Array.from({ length: callers }, () =>
    keepSending({
      origin: host,
      buffer: Buffer.allocUnsafeSlow(1 << 16),
      nextRequest: () => {
        const path = `/v1/agents/${agents[turns++ % agents.length]}/messages`
        return encodeRequest(host, { method: 'POST', path, headers, body: JSON.stringify({ input }) })
      },
      onResponse(status, milliseconds) {
        if (status !== 200) failed.reject(new Error(`A turn has status ${status}.`))
        latencies.record(Math.max(1, Math.round(milliseconds * 1000)))
      },
      onError: failed.reject,
    }),
  )
  try {
    await Promise.race([sleep(seconds * 1000), failed.promise])
  } finally {
    for (const stop of stops) stop()
  }
  return {
    p50Ms: latencies.percentile(50) / 1000,
    perSecond: latencies.count / seconds,
    cpuMs: (cpuMs() - cpuBefore) / latencies.count,
  }
}

/** The median time in ms until a stream has its first token. */
async function firstToken(count: number, open: (n: number) => Promise<Response>, token: string): Promise<number> {
  const latencies = createHistogram()
  for (let n = 0; n < count; n++) {
    const began = performance.now()
    const response = await open(n)
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      if (!text.includes(token) && (text + chunk).includes(token)) {
        latencies.record(Math.max(1, Math.round((performance.now() - began) * 1000)))
      }
      text += chunk
    }
  }
  return latencies.percentile(50) / 1000
}

/** Makes agents, some at a time. Returns their ids. */
async function makeAgents(post: Post, count: number, modelUrl: string): Promise<string[]> {
  const ids: string[] = []
  const llm_config = { model: 'any', model_endpoint_type: 'openai', model_endpoint: modelUrl, context_window: 32_000 }
  const memory_blocks = [{ label: 'human', value: 'Ada' }]
  const make = async () => {
    while (ids.length < count) {
      const n = ids.push('') - 1
      const body = { name: `Agent ${n}`, llm_config, memory_blocks, tools: ['core_memory_append'] }
      const response = await post('/v1/agents/', body)
      ids[n] = ((await response.json()) as { id: string }).id
    }
  }
  await Promise.all(Array.from({ length: MAKERS }, make))
  return ids
}

/** Starts a model, which `cleanup` ends. Returns the address of the model. */
function startModel(request: ModelRequest, cleanup: AsyncDisposableStack): Promise<string> {
  const child: Child<ModelRequest, string> = startChild('model.ts')
  cleanup.use(child)
  return child.call(request)
}

/** Opens a stream of tokens for each agent, some at a time, and reads all of them to their ends. */
async function readStreams(post: Post, agents: readonly string[]): Promise<void> {
  const body = { input: PLAIN, streaming: true, stream_tokens: true }
  const left = [...agents]
  const streams: Promise<string>[] = []
  const open = async () => {
    for (let agent = left.pop(); agent; agent = left.pop()) {
      streams.push((await post(`/v1/agents/${agent}/messages`, body)).text())
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, open))
  for (const text of await Promise.all(streams)) {
    if (!text.includes('"end_turn"')) throw new Error(`A stream ended early: ${text.slice(-300)}`)
  }
}

/** The figures of whole turns, by one caller and by several. */
async function turnFigures(
  server: Server,
  key: string,
  agents: readonly string[],
  seconds: number,
  progress: Progress,
): Promise<RunFigure[]> {
  const measure = (input: string, callers: number) => {
    progress.show(`turns of ${callers} at once`)
    return measureTurns(server, key, agents, input, callers, seconds)
  }
  await measure(MEMORY, 4)
  const plain = await measure(PLAIN, 1)
  const called = await measure(MEMORY, 1)
  const plains = await measure(PLAIN, CALLERS)
  const calls = await measure(MEMORY, CALLERS)
  return [
    { name: 'plain turn: median, ms', value: plain.p50Ms, limit: '6' },
    { name: 'turn with a call of memory: median, ms', value: called.p50Ms, limit: '10' },
    { name: 'a step more, with its model call: median, ms', value: called.p50Ms - plain.p50Ms, limit: '5' },
    { name: `plain turns of ${CALLERS} callers, per second`, value: plains.perSecond, limit: 'at least 300' },
    { name: `turns with a call of ${CALLERS} callers, per second`, value: calls.perSecond, limit: 'at least 200' },
    { name: 'CPU of the server for a plain turn, ms', value: plains.cpuMs },
    { name: 'CPU of the server for a turn with a call, ms', value: calls.cpuMs },
    { name: 'peak memory of the server, MB', value: server.memory()?.peakRss ?? Number.NaN, limit: '300' },
  ]
}

/** Measures runs over HTTP, with a model behind HTTP that answers at once. Prints each figure beside its limit. */
export async function runRuns(
  options: Options,
  cleanup: AsyncDisposableStack,
  progress: Progress,
): Promise<RunFigure[]> {
  const { settings, directory, key } = await prepare({ ...options, agents: 500, passages: 0 }, cleanup, progress.show)
  const loopback = { ...settings, CAIRN_ALLOWED_NETWORKS: 'loopback' }
  const server = await startServer(loopback, key, join(directory, 'server.log'), cleanup)
  const post = poster(server.origin, key)
  const quick = await startModel({}, cleanup)
  progress.show('making agents')
  const agents = await makeAgents(post, AGENTS, quick)
  const turns = await turnFigures(server, key, agents, options.seconds, progress)

  progress.show('first tokens')
  const ask = { model: 'any', stream: true, messages: [{ role: 'user', content: PLAIN }] }
  const alone = await firstToken(AGENTS, () => poster(quick, key)('/chat/completions', ask), '"content"')
  const body = { input: PLAIN, streaming: true, stream_tokens: true }
  const through = await firstToken(AGENTS, (n) => post(`/v1/agents/${agents[n]}/messages`, body), 'assistant_message')

  progress.show(`${STREAMS} streams`)
  await readStreams(post, await makeAgents(post, STREAMS, await startModel({ pace: PACE_MS }, cleanup)))
  const figures: RunFigure[] = [
    ...turns,
    { name: 'first token of the model itself: median, ms', value: alone },
    { name: 'first token of a stream, over that: median, ms', value: through - alone, limit: '5' },
    { name: `peak memory with ${STREAMS} streams, MB`, value: server.memory()?.peakRss ?? Number.NaN, limit: '600' },
  ]
  progress.done()
  printFigures(figures)
  return figures
}

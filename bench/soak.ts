import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { INCLUDES } from '../src/resources/agents/query.ts'
import { prepare } from './data/prepare.ts'
import { encodeRequest } from './load/connection.ts'
import { CONNECTIONS, startLoad } from './load/load.ts'
import { createEncoder } from './load/requests.ts'
import type { Operation } from './operations/operations.ts'
import type { Options } from './options.ts'
import { type Server, startServer } from './processes/server.ts'
import type { Progress } from './progress.ts'

const MINUTE_MS = 60_000
/** Operations that create rows are sent once in so many rounds, so that the data grows slowly. */
const CREATE_EVERY = 20

/** The memory of the server process after a minute of requests, in MB. */
export interface Minute {
  minute: number
  requests: number
  rss_mb: number
  peak_rss_mb: number
}

/** Lists of agents that differ in relations, order and length, so that most need a statement of their own. */
function variedLists(key: string, origin: URL): { next: () => Buffer } {
  let n = 0
  return {
    next() {
      const includes = INCLUDES.filter((_, bit) => (n >> bit) & 1).map((include) => `include=${include}`)
      const order = ['created_at', 'last_run_completion'][(n >> INCLUDES.length) % 2]
      const path = `/v1/agents/?${[...includes, `order_by=${order}`, `limit=${1 + (n % 100)}`].join('&')}`
      n++
      return encodeRequest(origin, { method: 'GET', path, headers: { authorization: `Bearer ${key}` } })
    },
  }
}

/** The requests of all operations in turn. */
function mixedRequests(operations: readonly Operation[], key: string, origin: URL): () => Buffer {
  const encode = createEncoder(key)
  const sources = operations.map((operation) => ({
    creates: operation.call.method === 'POST' && operation.key !== undefined,
    next: encode(operation, origin),
  }))
  const reads = [...sources.filter(({ creates }) => !creates), variedLists(key, origin)]
  const rounds = [...sources, ...Array.from({ length: CREATE_EVERY - 1 }, () => reads).flat()]
  let sent = 0
  return () => rounds[sent++ % rounds.length]!.next()
}

const line = (cells: readonly string[]) => cells.map((cell) => cell.padStart(8)).join('  ')

function print({ minute, requests, rss_mb, peak_rss_mb }: Minute): void {
  console.log(line([String(minute), String(requests), rss_mb.toFixed(0), peak_rss_mb.toFixed(0)]))
}

/** Loads a server for some minutes, and prints its memory before the first and after each one. */
async function measureMinutes(server: Server, nextRequest: () => Buffer, minutes: number): Promise<Minute[]> {
  let requests = 0
  const measured: Minute[] = []
  const measure = (minute: number) => {
    const memory = server.memory()
    if (!memory) throw new Error('The soak test reads the memory of a process from /proc, which only Linux has.')
    const figures = { minute, requests, rss_mb: memory.rss, peak_rss_mb: memory.peakRss }
    requests = 0
    measured.push(figures)
    print(figures)
  }
  measure(0)
  const load = startLoad(new URL(server.origin), nextRequest, () => {
    requests++
  })
  try {
    for (let minute = 1; minute <= minutes; minute++) {
      await Promise.race([sleep(MINUTE_MS), load.failed])
      measure(minute)
    }
  } finally {
    load.stop()
  }
  return measured
}

/** Sends mixed requests to a server for the given minutes. `cleanup` ends the server and removes its data. */
export async function runSoak(options: Options, cleanup: AsyncDisposableStack, progress: Progress): Promise<Minute[]> {
  const { settings, directory, engine, key, operations } = await prepare(options, cleanup, progress.show)
  progress.show('starting the server')
  const server = await startServer(settings, key, join(directory, 'server.log'), cleanup)
  progress.done()
  console.log(`
Cairn on ${engine === 'embedded' ? 'the embedded engine' : 'a PostgreSQL server'}: ${options.agents} agents, ${operations.length} operations in turn, ${CONNECTIONS} connections, ${availableParallelism()} cores, Node ${process.version}

${line(['minute', 'requests', 'RSS MB', 'peak MB'])}`)
  return measureMinutes(server, mixedRequests(operations, key, new URL(server.origin)), options.minutes)
}

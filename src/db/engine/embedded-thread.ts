import { parentPort } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { vector } from '@electric-sql/pglite-pgvector'
import { EMBEDDED_SESSION, OPEN_READ } from './session.ts'

/** The thread of an embedded database: it runs requests one after the other. */

/** The first request. */
export interface OpenRequest {
  engine: WebAssembly.Module
  /** Absent: in memory. */
  dataDir: string | undefined
  /** The content that a database in memory starts with. */
  snapshot: Blob | undefined
}

/** Messages of PostgreSQL's protocol to run, a request for a copy of the database as a file, or the last request. */
export type ThreadRequest = Uint8Array<ArrayBuffer> | 'dump' | 'close'

type Result = Uint8Array<ArrayBuffer> | Blob | undefined

/** The response to a request, or the reason why the thread ends. */
export type ThreadResponse = { result: Result } | { error: unknown } | { ended: string }

/** The exit status by which PGlite's engine reports an error of a statement (pglite.ts, POSTGRES_MAIN_LONGJMP). */
const STATEMENT_FAILED = 100

const INITIAL_BYTES = 1_048_576

const port = parentPort!

/** Collects the parts of a result in a buffer that later results use again. `takeResult` copies the whole. */
function createCollector() {
  const initial = new Uint8Array(INITIAL_BYTES)
  let bytes = initial
  let length = 0
  return {
    reset(): void {
      bytes = initial
      length = 0
    },
    add(part: Uint8Array): void {
      if (length + part.length > bytes.length) {
        const larger = new Uint8Array(2 * (length + part.length))
        larger.set(bytes.subarray(0, length))
        bytes = larger
      }
      bytes.set(part, length)
      length += part.length
    },
    takeResult: (): Uint8Array<ArrayBuffer> => bytes.slice(0, length),
  }
}

/**
 * Ends the thread when the engine has stopped inside a statement. A full disk does that: PostgreSQL panics when it can't
 * write ahead, so that nothing is acknowledged that isn't stored. PGlite swallows the exception, and calls the dead engine
 * again for ever.
 */
function endWithEngine({ Module }: PGlite, reason: () => string | undefined): void {
  const runStatement = Module._PostgresMainLoopOnce
  Module._PostgresMainLoopOnce = () => {
    try {
      runStatement()
    } catch (error) {
      if ((error as { status?: number }).status !== STATEMENT_FAILED) {
        port.postMessage({ ended: reason() ?? String(error) } satisfies ThreadResponse)
        process.exit(1)
      }
      throw error
    }
  }
}

async function open({ engine, dataDir, snapshot }: OpenRequest): Promise<PGlite> {
  let reason: string | undefined
  const lite: PGlite = new PGlite({
    dataDir: dataDir ?? 'memory://',
    extensions: { vector, pg_trgm },
    pgliteWasmModule: engine,
    onStderr(line) {
      reason = /(?:FATAL|PANIC): +(.+)/.exec(line)?.[1] ?? reason
      return true
    },
    ...(snapshot && { loadDataDir: snapshot }),
  })
  try {
    await lite.waitReady
  } catch (error) {
    throw reason === undefined ? error : new Error(reason)
  }
  endWithEngine(lite, () => reason)
  await lite.exec(
    Object.entries(EMBEDDED_SESSION)
      .map(([name, value]) => `set ${name} = ${value};`)
      .join('\n') + OPEN_READ,
  )
  return lite
}

const collector = createCollector()

async function run(lite: PGlite, request: ThreadRequest): Promise<Result> {
  if (request === 'dump') return lite.dumpDataDir('none')
  if (request === 'close') {
    await lite.close()
    return undefined
  }
  // Discard partial output of a failed request, so that it can't leak into the next result.
  collector.reset()
  // Not `execProtocolRaw`, which keeps every result in memory until the process ends.
  await lite.execProtocolRawStream(request, { onRawData: collector.add })
  return collector.takeResult()
}

/** Runs `work` and sends its result, or its error. */
async function respond(work: () => Promise<Result>): Promise<void> {
  try {
    const result = await work()
    port.postMessage({ result } satisfies ThreadResponse, result instanceof Uint8Array ? [result.buffer] : [])
  } catch (error) {
    port.postMessage({ error } satisfies ThreadResponse)
  }
}

port.once('message', (first: OpenRequest) => {
  let lite: PGlite
  let last = respond(async () => {
    lite = await open(first)
    return undefined
  })
  port.on('message', (request: ThreadRequest) => {
    last = last.then(() => respond(() => run(lite, request)))
  })
})

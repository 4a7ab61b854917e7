import { Worker } from 'node:worker_threads'
import { BOUNDS, type Bounds } from './fault.ts'
import type { Kind } from './lines.ts'
import type { FileType } from './types.ts'

/** A file to read: its bytes behind a descriptor, or its text, which only needs to be cut. */
export interface ToRead {
  from: { fd: number } | { text: string }
  type: FileType
  /** How its lines are counted. */
  kind: Kind
  /** Of a piece, in tokens. */
  size: number
}

/** The text of a file, the pieces it is cut into, and how many lines agents are shown. */
export interface Read {
  text: string
  chunks: string[]
  lines: number
}

/** What was read, or why it can't be. */
export type Reading = Read | { fault: string }

const MB = 1024 * 1024
const LOOK_MS = 100

/**
 * Reads a file in a thread of its own, within bounds of time and memory: whatever its bytes do to a parser, they do it
 * there. Rejects when `signal` is aborted, and for faults that aren't the file's.
 */
export async function readFile(job: ToRead, signal?: AbortSignal, bounds: Bounds = BOUNDS): Promise<Reading> {
  signal?.throwIfAborted()
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: { job, bounds },
    resourceLimits: { maxOldGenerationSizeMb: bounds.heapMb },
    // It needs no setting and no secret, and what parsers print is of no use to anyone.
    env: {},
    stdout: true,
    stderr: true,
  })
  worker.stdout.resume()
  worker.stderr.resume()
  const done = Promise.withResolvers<Reading>()
  const tooMuch = () => done.resolve({ fault: 'It takes more memory to read than a file may.' })
  const patience = setTimeout(
    () => done.resolve({ fault: `It takes longer to read than ${bounds.milliseconds / 1000} seconds.` }),
    bounds.milliseconds,
  )
  const look = setInterval(async () => {
    // Memory beside the heap is in no limit of the thread's own.
    const { external_memory = 0 } = (await worker.getHeapStatistics().catch(() => undefined)) ?? {}
    if (external_memory > bounds.externalMb * MB) tooMuch()
  }, LOOK_MS)
  const abort = () => done.reject(signal!.reason)
  signal?.addEventListener('abort', abort)
  worker.once('message', done.resolve)
  worker.on('error', (error: NodeJS.ErrnoException) =>
    error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch() : done.reject(error),
  )
  worker.once('exit', () => done.reject(new Error('The thread that reads a file ended without an answer.')))
  try {
    return await done.promise
  } finally {
    clearTimeout(patience)
    clearInterval(look)
    signal?.removeEventListener('abort', abort)
    await worker.terminate()
  }
}

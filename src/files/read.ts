import { Worker } from 'node:worker_threads'
import { BOUNDS, type Bounds } from './fault.ts'
import type { Kind } from './lines.ts'
import type { FileType } from './types.ts'

/** A file to read: a descriptor of its bytes, the bytes, or its text, which is split only. */
export interface ToRead {
  from: { fd: number } | { bytes: Uint8Array } | { text: string }
  type: FileType
  /** How the lines are counted. */
  kind: Kind
  /** The tokens of a chunk; absent: no chunks are made. */
  size?: number
}

/** The text of a file, its chunks, and the number of its numbered lines. */
export interface Read {
  text: string
  chunks: string[]
  lines: number
}

/** The result of reading a file, or the reason why it can't be read. */
export type Reading = Read | { fault: string }

const MB = 1024 * 1024
/** The interval of looking at the memory of a thread. */
const LOOK_MS = 100

/**
 * Reads a file in a thread of its own, within bounds of time and memory, so that no content can harm the server. Rejects when
 * `signal` is aborted, and for errors of the server.
 */
export async function readFile(job: ToRead, signal?: AbortSignal, bounds: Bounds = BOUNDS): Promise<Reading> {
  signal?.throwIfAborted()
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: { job, bounds },
    resourceLimits: { maxOldGenerationSizeMb: bounds.heapMb },
    // The thread needs no settings and no secrets. The output of parsers is discarded.
    env: {},
    stdout: true,
    stderr: true,
  })
  worker.stdout.resume()
  worker.stderr.resume()
  const done = Promise.withResolvers<Reading>()
  const tooMuch = () => done.resolve({ fault: 'It takes more memory to read than a file may.' })
  const timeout = setTimeout(
    () => done.resolve({ fault: `It takes longer to read than ${bounds.milliseconds / 1000} seconds.` }),
    bounds.milliseconds,
  )
  const look = setInterval(async () => {
    // The limits of a thread don't include memory outside its heap.
    const { external_memory = 0 } = (await worker.getHeapStatistics().catch(() => undefined)) ?? {}
    if (external_memory > bounds.externalMb * MB) tooMuch()
  }, LOOK_MS)
  const abort = () => done.reject(signal!.reason)
  signal?.addEventListener('abort', abort)
  worker.once('message', done.resolve)
  worker.on('error', (error: NodeJS.ErrnoException) =>
    error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch() : done.reject(error),
  )
  worker.once('exit', () => done.reject(new Error('The thread that reads a file ended without a result.')))
  try {
    return await done.promise
  } finally {
    clearTimeout(timeout)
    clearInterval(look)
    signal?.removeEventListener('abort', abort)
    await worker.terminate()
  }
}

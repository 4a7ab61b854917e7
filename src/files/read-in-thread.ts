import { Worker } from 'node:worker_threads'
import type { Bounds } from './fault.ts'
import { type Reading, TOO_MUCH_MEMORY, type ToRead } from './read.ts'

const MB = 1024 * 1024
/** The interval of looking at the memory of a thread. */
const LOOK_MS = 100

/** Reads a file in a thread, within bounds of time and memory. Rejects when the thread fails. */
export async function readInThread(job: ToRead, bounds: Bounds): Promise<Reading> {
  const worker = new Worker(new URL('./read-thread.ts', import.meta.url), {
    workerData: { job, bounds },
    resourceLimits: { maxOldGenerationSizeMb: bounds.heapMb },
  })
  const done = Promise.withResolvers<Reading>()
  const tooMuch = () => done.resolve(TOO_MUCH_MEMORY)
  const timeout = setTimeout(
    () => done.resolve({ fault: `It takes longer to read than ${bounds.milliseconds / 1000} seconds.` }),
    bounds.milliseconds,
  )
  const look = setInterval(async () => {
    // The limits of a thread don't include memory outside its heap.
    const { external_memory = 0 } = (await worker.getHeapStatistics().catch(() => undefined)) ?? {}
    if (external_memory > bounds.externalMb * MB) tooMuch()
  }, LOOK_MS)
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
    await worker.terminate()
  }
}

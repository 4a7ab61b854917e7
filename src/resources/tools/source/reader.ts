import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { inBody, invalid } from '../../../lib/errors.ts'
import { createKeyedMutex } from '../../../lib/keyed-mutex.ts'
import type { Derived, DerivedSchema, ToolSource } from './derive.ts'
import type { Request } from './thread.ts'

/** Reads the sources of tools. */
export interface SourceReader {
  /** Derives the schema of a tool from its source. 422 with every problem of the source and its position. */
  read(source: ToolSource, field: string): Promise<DerivedSchema>
  /** The names of the functions that a source defines; none for a source that can't be read. */
  names(source: ToolSource): Promise<string[]>
  close(): Promise<void>
}

/** The limits for one source: more than any source needs that a person has written. */
const TIMEOUT_MS = 3_000
const MEMORY_MB = 256
/** The time after which an idle thread ends. */
const IDLE_MS = 30_000

const TOO_MUCH: Derived = { faults: ['is too large or too intricate to be read: give json_schema with it'] }

/**
 * A reader with a thread of its own: parsers take their time over a hostile source (some of a few hundred characters
 * would take years), and meanwhile the server serves others.
 */
export function createSourceReader(): SourceReader {
  let thread: Promise<Worker> | undefined
  const mutex = createKeyedMutex()
  let idle: NodeJS.Timeout | undefined

  async function start(): Promise<Worker> {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    })
    worker.unref()
    // The caller of `once` gets an error; an error without a waiting caller must not end the process.
    worker.on('error', () => {})
    await once(worker, 'message')
    return worker
  }

  async function stop(): Promise<void> {
    clearTimeout(idle)
    const stopping = thread
    thread = undefined
    await (await stopping?.catch(() => undefined))?.terminate()
  }

  /** The response of the thread; undefined if the source is beyond the limits. */
  async function ask<T>(request: Request): Promise<T | undefined> {
    clearTimeout(idle)
    thread ??= start()
    const worker = await thread.catch((error) => {
      thread = undefined
      throw error
    })
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    // A referenced thread keeps the process alive while a request waits for it.
    worker.ref()
    worker.postMessage(request)
    try {
      const [response] = (await once(worker, 'message', { signal })) as [T]
      worker.unref()
      idle = setTimeout(stop, IDLE_MS).unref()
      return response
    } catch (error) {
      await stop()
      if (signal.aborted || (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY') return undefined
      throw error
    }
  }

  return {
    async read(source, field) {
      const derived = (await mutex('source', () => ask<Derived>({ task: 'schema', source }))) ?? TOO_MUCH
      if ('schema' in derived) return derived.schema
      throw invalid(...derived.faults.map((fault) => inBody(field, fault)))
    },
    names: async (source) => (await mutex('source', () => ask<string[]>({ task: 'names', source }))) ?? [],
    close: () => mutex('source', stop),
  }
}

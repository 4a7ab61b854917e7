import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { inBody, invalid } from '../../../lib/errors.ts'
import { createKeyedMutex } from '../../../lib/keyed-mutex.ts'
import type { Derived, DerivedSchema, ToolSource } from './derive.ts'

/** Reads the sources of tools. */
export interface SourceReader {
  /** What models are told of a tool, from its source. 422 that says where and why a source can't be read. */
  read(source: ToolSource, field: string): Promise<DerivedSchema>
  close(): Promise<void>
}

/** A source that takes longer or more memory than any written by hand is given up. */
const PATIENCE_MS = 3_000
const MEMORY_MB = 256
/** A thread that has nothing to do is let go. */
const IDLE_MS = 30_000

const TOO_MUCH: Derived = { faults: ['is too large or too intricate to be read: give json_schema with it'] }

/**
 * A reader with a thread of its own: parsers take their time over a hostile source (some of a few hundred characters
 * would take years), and meanwhile the server serves others.
 */
export function createSourceReader(): SourceReader {
  let thread: Promise<Worker> | undefined
  const inTurn = createKeyedMutex()
  let idle: NodeJS.Timeout | undefined

  async function start(): Promise<Worker> {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    })
    worker.unref()
    // Whoever waits for an answer hears of an error; one that nobody waits for must not end the process.
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

  async function ask(source: ToolSource): Promise<Derived> {
    clearTimeout(idle)
    thread ??= start()
    const worker = await thread.catch((error) => {
      thread = undefined
      throw error
    })
    const signal = AbortSignal.timeout(PATIENCE_MS)
    // Alive while it is waited for, so that the process doesn't end under a request.
    worker.ref()
    worker.postMessage(source)
    try {
      const [derived] = (await once(worker, 'message', { signal })) as [Derived]
      worker.unref()
      idle = setTimeout(stop, IDLE_MS).unref()
      return derived
    } catch (error) {
      await stop()
      if (signal.aborted || (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY') return TOO_MUCH
      throw error
    }
  }

  return {
    async read(source, field) {
      const derived = await inTurn('source', () => ask(source))
      if ('schema' in derived) return derived.schema
      throw invalid(...derived.faults.map((fault) => inBody(field, fault)))
    },
    close: () => inTurn('source', stop),
  }
}

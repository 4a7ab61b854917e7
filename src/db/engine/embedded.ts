import type { Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import type { PoolConfig } from 'pg'
import { compileEngine } from './compile-engine.ts'
import { createSocket } from './embedded-socket.ts'
import type { OpenRequest, ThreadRequest, ThreadResponse } from './embedded-thread.ts'

/** An embedded PostgreSQL, as a `pg` pool uses it. */
export interface Embedded {
  poolConfig: PoolConfig
  dump(): Promise<Blob>
  close(): Promise<void>
}

/** How an embedded database is opened. */
export interface EmbeddedOptions {
  /** The content that a database in memory starts with: the result of `dump`. */
  snapshot?: Blob | undefined
  /** The compiled engine, where a process opens several databases. */
  engine?: WebAssembly.Module | undefined
}

/** The least time between two attempts to open a database again. */
const REOPEN_MS = 2_000

/**
 * The engine recurses on nested values. With less stack, JavaScript's limit stops it inside a statement, in no known state;
 * with this much, PostgreSQL's own limit (max_stack_depth) is reached first, and fails the statement.
 */
const STACK_MB = 64

/** An error that is a 503: SQLSTATE 57P02, crash_shutdown. */
const unavailable = (message: string) => Object.assign(new Error(message), { code: '57P02' })

/** Starts the thread of an embedded database. The thread runs requests in order. */
function startThread() {
  const thread = new Worker(new URL('./embedded-thread.ts', import.meta.url), {
    resourceLimits: { stackSizeMb: STACK_MB },
  })
  const pending: PromiseWithResolvers<unknown>[] = []
  const ended = Promise.withResolvers<void>()
  let failure: Error | undefined
  const fail = (error: Error) => {
    failure ??= error
    for (const { reject } of pending.splice(0)) reject(failure)
  }
  thread.on('message', (response: ThreadResponse) => {
    if ('ended' in response) return fail(unavailable(`The embedded database has stopped: ${response.ended}`))
    const { resolve, reject } = pending.shift()!
    if ('error' in response) reject(response.error)
    else resolve(response.result)
  })
  thread.on('error', fail)
  thread.on('exit', () => {
    fail(unavailable('The embedded database has ended.'))
    ended.resolve()
  })
  return {
    async request<T>(request: OpenRequest | ThreadRequest): Promise<T> {
      if (failure) throw failure
      const response = Promise.withResolvers<unknown>()
      pending.push(response)
      thread.postMessage(request, request instanceof Uint8Array ? [request.buffer] : [])
      return response.promise as Promise<T>
    },
    terminate: () => thread.terminate(),
    ended: ended.promise,
  }
}

type Thread = ReturnType<typeof startThread>

async function openThread(request: OpenRequest): Promise<Thread> {
  const thread = startThread()
  try {
    await thread.request(request)
    return thread
  } catch (error) {
    await thread.terminate()
    // Errors of PGlite's file system have no message.
    throw unavailable((error as Error).message || 'its files cannot be written')
  }
}

/**
 * The thread of a database: `connect` returns it for a new connection. A database on disk whose thread has ended is opened
 * again, as after a crash of the process: its log of writes restores what was acknowledged. So a server whose disk was full
 * goes on by itself once there is room; until then a connection fails. One in memory is lost with its thread.
 */
function createThread(request: OpenRequest) {
  let current: Promise<Thread> | undefined
  const forget = () => {
    if (request.dataDir !== undefined) current = undefined
  }
  return {
    connect(): Promise<Thread> {
      current ??= openThread(request).then(
        (thread) => {
          thread.ended.then(forget)
          return thread
        },
        (error) => {
          setTimeout(forget, REOPEN_MS).unref()
          throw error
        },
      )
      return current
    },
    async close(): Promise<void> {
      const thread = await current?.catch(() => undefined)
      // A database that can't be closed recovers when it is opened.
      await thread?.request('close').catch(() => {})
      await thread?.terminate()
    },
  }
}

/**
 * Opens PGlite in `dataDir`, or in memory when there is none, in a thread of its own: the server goes on responding while a
 * statement runs. All statements pass through the one pool. Call `dump` and `close` when no statement is in flight.
 */
export async function openEmbedded(dataDir: string | undefined, options: EmbeddedOptions = {}): Promise<Embedded> {
  const { snapshot, engine = compileEngine() } = options
  const { connect, close } = createThread({ engine, dataDir, snapshot })
  await connect()
  return {
    // One connection: a second client would share its protocol state. The connection must never be recycled.
    poolConfig: {
      stream() {
        const thread = connect()
        return createSocket(async (messages) => (await thread).request<Uint8Array<ArrayBuffer>>(messages)) as Socket
      },
      user: 'postgres',
      database: 'postgres',
      max: 1,
      idleTimeoutMillis: 0,
    },
    dump: async () => (await connect()).request<Blob>('dump'),
    close,
  }
}

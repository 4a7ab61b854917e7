import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { PoolConfig } from 'pg'
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

/** Compiles the embedded engine, which takes a second. */
export async function compileEngine(): Promise<WebAssembly.Module> {
  const directory = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))
  return WebAssembly.compile(await readFile(join(directory, 'pglite.wasm')))
}

/** Starts the thread of an embedded database. The thread runs requests in order. */
function startThread() {
  const thread = new Worker(new URL('./embedded-thread.ts', import.meta.url))
  const pending: PromiseWithResolvers<unknown>[] = []
  let failure: Error | undefined
  const fail = (error: Error) => {
    failure = error
    for (const { reject } of pending.splice(0)) reject(error)
  }
  thread.on('message', (response: ThreadResponse) => {
    const { resolve, reject } = pending.shift()!
    if ('error' in response) reject(response.error)
    else resolve(response.result)
  })
  thread.on('error', fail)
  thread.on('exit', () => fail(new Error('The embedded database has ended.')))
  return {
    async request<T>(request: OpenRequest | ThreadRequest): Promise<T> {
      if (failure) throw failure
      const response = Promise.withResolvers<unknown>()
      pending.push(response)
      thread.postMessage(request, request instanceof Uint8Array ? [request.buffer] : [])
      return response.promise as Promise<T>
    },
    terminate: () => thread.terminate(),
  }
}

/**
 * Opens PGlite in `dataDir`, or in memory when there is none, in a thread of its own: the server goes on responding while a
 * statement runs. All statements pass through the one pool. Call `dump` and `close` when no statement is in flight.
 */
export async function openEmbedded(dataDir: string | undefined, options: EmbeddedOptions = {}): Promise<Embedded> {
  const { snapshot, engine = await compileEngine() } = options
  const { request, terminate } = startThread()
  try {
    await request({ engine, dataDir, snapshot })
  } catch (error) {
    await terminate()
    throw error
  }
  return {
    // One connection: a second client would share its protocol state. The connection must never be recycled.
    poolConfig: {
      stream: () => createSocket((messages) => request<Uint8Array<ArrayBuffer>>(messages)) as Socket,
      user: 'postgres',
      database: 'postgres',
      max: 1,
      idleTimeoutMillis: 0,
    },
    dump: () => request<Blob>('dump'),
    async close() {
      await request('close')
      await terminate()
    },
  }
}

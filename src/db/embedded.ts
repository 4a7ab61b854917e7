import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { PoolConfig } from 'pg'
import { createSocket } from './embedded-socket.ts'
import type { Answer, Opening, Question } from './embedded-thread.ts'

/** An embedded PostgreSQL, as an ordinary `pg` pool sees it. */
export interface Embedded {
  poolConfig: PoolConfig
  dump(): Promise<Blob>
  close(): Promise<void>
}

const require = createRequire(import.meta.url)
let compiled: Promise<WebAssembly.Module> | undefined

/** PostgreSQL, compiled once for all databases that are opened. */
function compile(): Promise<WebAssembly.Module> {
  const file = join(dirname(require.resolve('@electric-sql/pglite')), 'pglite.wasm')
  compiled ??= readFile(file).then((bytes) => WebAssembly.compile(bytes))
  return compiled
}

/** Starts the thread of an embedded database. It answers in the order it is asked; the first answer says that it is open. */
function startThread(opening: Omit<Opening, 'module'>) {
  const thread = new Worker(new URL('./embedded-thread.ts', import.meta.url))
  const waiting: PromiseWithResolvers<unknown>[] = []
  thread.on('message', (message: Answer) => {
    const { resolve, reject } = waiting.shift()!
    if ('error' in message) reject(message.error)
    else resolve(message.answer)
  })
  let dead: Error | undefined
  const die = (error: Error) => {
    dead = error
    for (const { reject } of waiting.splice(0)) reject(error)
  }
  thread.on('error', die)
  thread.on('exit', () => die(new Error('The embedded database has ended.')))

  const next = <T>(): Promise<T> => {
    if (dead) return Promise.reject(dead)
    const answer = Promise.withResolvers<unknown>()
    waiting.push(answer)
    return answer.promise as Promise<T>
  }
  compile().then((module) => thread.postMessage({ ...opening, module } satisfies Opening), die)
  return {
    opened: next<void>(),
    ask<T>(question: Question): Promise<T> {
      if (!dead) thread.postMessage(question, typeof question === 'string' ? [] : [question.buffer])
      return next<T>()
    },
    terminate: () => thread.terminate(),
  }
}

/**
 * Opens PGlite in `dataDir` (absent: in memory, from `snapshot` if given), in a thread of its own: requests are answered
 * while a statement takes its time. Everything goes through the one pool over it; it is dumped and closed when nothing is
 * in flight.
 */
export async function openEmbedded(dataDir?: string, snapshot?: Blob): Promise<Embedded> {
  const { opened, ask, terminate } = startThread({ dataDir, snapshot })
  await opened.catch(async (error) => {
    await terminate()
    throw error
  })
  return {
    // One connection: a second client on it would share its protocol state. It must never be recycled.
    poolConfig: {
      stream: () => createSocket((bytes) => ask<Uint8Array<ArrayBuffer>>(bytes)) as Socket,
      user: 'postgres',
      database: 'postgres',
      max: 1,
      idleTimeoutMillis: 0,
    },
    dump: () => ask<Blob>('dump'),
    async close() {
      await ask('close')
      await terminate()
    },
  }
}

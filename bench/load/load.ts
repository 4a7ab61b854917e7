import type { RecordableHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Operation } from '../operations/operations.ts'
import { keepSending } from './connection.ts'
import { createEncoder, requestOf } from './requests.ts'

export const CONNECTIONS = 16

const RECEIVE_BUFFER_BYTES = 1 << 18

export interface Load {
  /** Rejects with the first error: a lost connection, or a status other than 200. */
  failed: Promise<never>
  stop(): void
}

/** Sends requests from `CONNECTIONS` connections, each as fast as responses arrive, until `stop`. */
export function startLoad(origin: URL, nextRequest: () => Buffer, onResponse: (milliseconds: number) => void): Load {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const buffer = Buffer.allocUnsafeSlow(RECEIVE_BUFFER_BYTES)
  const options = {
    origin,
    buffer,
    nextRequest,
    onResponse(status: number, milliseconds: number) {
      if (status !== 200) reject(new Error(`A response has status ${status}.`))
      onResponse(milliseconds)
    },
    onError: reject,
  }
  const stops = Array.from({ length: CONNECTIONS }, () => keepSending(options))
  return {
    failed,
    stop() {
      for (const stop of stops) stop()
    },
  }
}

export interface LoadOptions {
  origin: string
  seconds: number
  /** Records the time of each response, in microseconds. */
  latencies?: RecordableHistogram | undefined
}

/** Responses of the first moments don't count, because connections are opened then. */
const LEAD_IN_SECONDS = 0.25

/** Makes the function that loads a server with one operation and returns requests per second. It throws when one fails. */
export function createLoad(key: string) {
  const encode = createEncoder(key)
  return async (operation: Operation, { origin, seconds, latencies }: LoadOptions): Promise<number> => {
    const start = performance.now() + LEAD_IN_SECONDS * 1000
    let last = start
    let responses = 0
    const load = startLoad(new URL(origin), encode(operation, new URL(origin)), (milliseconds) => {
      const now = performance.now()
      if (now < start) return
      responses++
      last = now
      latencies?.record(Math.max(1, Math.round(milliseconds * 1000)))
    })
    try {
      await Promise.race([sleep((LEAD_IN_SECONDS + seconds) * 1000), load.failed])
    } catch (error) {
      throw new Error(`${operation.name} failed.`, { cause: error })
    } finally {
      load.stop()
    }
    // The server still works on the requests that were cut off. Once it has responded to this one, they are done.
    const { path, ...init } = requestOf(operation, key)
    await (await fetch(origin + path, init as RequestInit)).arrayBuffer()
    if (responses === 0) throw new Error(`${operation.name}: no response within ${seconds} s.`)
    return responses / ((last - start) / 1000)
  }
}

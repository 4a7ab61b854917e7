import type { RecordableHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeRequest, keepAsking } from './connection.ts'
import { nthUpdate, type Operation } from './operations.ts'

export interface Load {
  origin: string
  key: string
  connections: number
  seconds: number
  /** Gets the time of each answer, in microseconds. */
  latencies?: RecordableHistogram | undefined
}

/** What is answered in the first moments isn't counted: connections are made then. */
const LEAD_IN_SECONDS = 0.25

/** Makes a load for operations. Each update it sends differs from all it sent before. */
export function createLoad() {
  let updates = 0

  /** Sends an operation's request from every connection as fast as answers come. Gives requests a second; throws when one fails. */
  return async function load({ name, call, blocks, key }: Operation, options: Load): Promise<number> {
    const { contentType = 'application/json', ...rest } = call
    const authorization = `Bearer ${key ?? options.key}`
    const headers: Record<string, string> = rest.body
      ? { authorization, 'content-type': contentType }
      : { authorization }
    const origin = new URL(options.origin)
    const request = { ...rest, headers }
    const encoded = encodeRequest(origin, request)
    const next = () =>
      blocks ? encodeRequest(origin, { ...request, ...nthUpdate(blocks, 'server', ++updates) }) : encoded

    const failed = Promise.withResolvers<never>()
    const start = performance.now() + LEAD_IN_SECONDS * 1000
    let last = start
    let answered = 0
    function onAnswer(status: number, milliseconds: number): void {
      const now = performance.now()
      if (status !== 200) failed.reject(new Error(`${name} was answered with ${status}.`))
      if (now < start) return
      answered++
      last = now
      options.latencies?.record(Math.max(1, Math.round(milliseconds * 1000)))
    }
    const asking = Array.from({ length: options.connections }, () =>
      keepAsking({ origin, next, onAnswer, onError: failed.reject }),
    )
    try {
      await Promise.race([sleep((LEAD_IN_SECONDS + options.seconds) * 1000), failed.promise])
    } finally {
      for (const end of asking) end()
    }
    // The requests cut off at the end are still worked on: once this one is answered, they are done.
    const { path, ...init } = request
    await (await fetch(options.origin + path, init)).arrayBuffer()
    if (answered === 0) throw new Error(`${name}: nothing was answered in ${options.seconds} s.`)
    return answered / ((last - start) / 1000)
  }
}

import type { RecordableHistogram } from 'node:perf_hooks'
import autocannon, { type Request } from 'autocannon'
import { nthUpdate, type Operation } from './operations.ts'

export interface Load {
  origin: string
  key: string
  connections: number
  seconds: number
  /** Gets the time of each answer, in microseconds. */
  latencies?: RecordableHistogram | undefined
}

/** Makes a load for operations. Each update it sends differs from all it sent before. */
export function createLoad() {
  let updates = 0

  /** Sends an operation's request from every connection as fast as answers come. Gives requests a second; throws when one fails. */
  return async function load({ name, call, blocks, key }: Operation, options: Load): Promise<number> {
    const { path, contentType = 'application/json', ...rest } = call
    const authorization = `Bearer ${key ?? options.key}`
    const headers: Record<string, string> = rest.body
      ? { authorization, 'content-type': contentType }
      : { authorization }
    const request = {
      path,
      ...rest,
      headers,
      ...(blocks && {
        setupRequest: (request: Request) => Object.assign(request, nthUpdate(blocks, 'server', ++updates)),
      }),
    }
    const start = performance.now()
    let last = start
    let answered = 0
    const run = autocannon({
      url: options.origin,
      connections: options.connections,
      duration: options.seconds,
      sampleInt: 20,
      requests: [request],
    })
    run.on('response', (_client, _status, _bytes, milliseconds) => {
      answered++
      last = performance.now()
      options.latencies?.record(Math.max(1, Math.round(milliseconds * 1000)))
    })
    const { non2xx, errors } = await run
    // The requests cut off at the end are still worked on: once this one is answered, they are done.
    await (await fetch(options.origin + path, { ...rest, headers })).arrayBuffer()
    if (non2xx + errors > 0) throw new Error(`${name}: ${non2xx} answers were not 200 and ${errors} requests failed.`)
    if (answered === 0) throw new Error(`${name}: nothing was answered in ${options.seconds} s.`)
    return answered / ((last - start) / 1000)
  }
}

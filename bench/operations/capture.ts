import pg from 'pg'
import type { App } from '../../src/http/server.ts'
import type { Call } from './operations.ts'
import { idsIn, type Plan, type Statement } from './plan.ts'

type Callback = (...result: unknown[]) => void
type Query = (...args: unknown[]) => Promise<unknown> | undefined

const statementOf = (config: string | Statement, values: unknown): Statement =>
  typeof config === 'string'
    ? { name: undefined, text: config, values: Array.isArray(values) ? values : [] }
    : { name: config.name, text: config.text, values: config.values ?? [] }

/** Records the statements that clients of `pg` in this process send while `work` runs. */
async function record(work: () => Promise<void>): Promise<Plan> {
  const plan: Plan = []
  let running = 0
  const { query } = pg.Client.prototype
  const recorded = function (this: pg.Client, ...args: unknown[]) {
    if (running++ === 0) plan.push([])
    plan.at(-1)!.push(statementOf(args[0] as string | Statement, args[1]))
    const done = () => {
      running--
    }
    const callback = args.at(-1)
    if (typeof callback !== 'function') {
      const promise = (query as unknown as Query).apply(this, args)!
      promise.then(done, done)
      return promise
    }
    return (query as unknown as Query).call(this, ...args.slice(0, -1), (...result: unknown[]) => {
      done()
      ;(callback as Callback)(...result)
    })
  }
  // The driver declares a dozen overloads of `query`; the recorder passes every one through unchanged.
  pg.Client.prototype.query = recorded as unknown as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return plan
}

/** Sends a request to the app. Returns the body, and throws unless the status is 200. */
export async function inject(app: App, key: string, call: Call): Promise<string> {
  const { method, path, body, contentType = 'application/json' } = call
  const response = await app.inject({
    method,
    url: path,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': contentType }) },
    ...(body && { payload: body }),
  })
  if (response.statusCode !== 200) {
    throw new Error(`${method} ${path}: status ${response.statusCode}: ${response.body}`)
  }
  return response.body
}

export interface Captured {
  plan: Plan
  /** The ids in the plan that the request created. */
  createdIds: string[]
  body: string
}

/**
 * The SQL that the server sends for a request, and the body of the response. `warmUp` is a request of the same kind: it
 * opens the connections and looks up the key, so that the plan doesn't contain those statements. Throws unless both have
 * status 200.
 */
export async function capture(app: App, key: string, call: Call, warmUp: Call): Promise<Captured> {
  const first = await record(() => inject(app, key, warmUp).then(() => {}))
  let body = ''
  const plan = await record(async () => {
    body = await inject(app, key, call)
  })
  // Ids that differ between the two requests are created by them.
  return { plan, createdIds: [...idsIn(plan).difference(idsIn(first))], body }
}

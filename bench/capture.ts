import pg from 'pg'
import type { App } from '../src/http/server.ts'
import type { Call } from './operations.ts'

export interface Statement {
  name: string | undefined
  text: string
  values: unknown[]
}

/** What a request asks of the database: the statements of a step go out at once, each step when the one before is done. */
export type Plan = Statement[][]

type Callback = (...result: unknown[]) => void

/** Records what any client of `pg` in this process is asked while `work` runs. */
async function recording(work: () => Promise<void>): Promise<Plan> {
  const plan: Plan = []
  const { query } = pg.Client.prototype
  let running = 0
  // What the database sends has a callback (src/db/database.ts).
  pg.Client.prototype.query = function (this: pg.Client, config: Statement, callback: Callback) {
    const { name, text, values } = config
    if (running++ === 0) plan.push([])
    plan.at(-1)!.push({ name, text, values })
    return (query as (...all: unknown[]) => void).call(this, config, (...result: unknown[]) => {
      running--
      callback(...result)
    })
  } as unknown as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return plan
}

/** An id as it stands in a statement's values, without its prefix. */
export const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g

const idsIn = (plan: Plan) => new Set(plan.flat().flatMap(({ values }) => JSON.stringify(values).match(UUID) ?? []))

/**
 * The SQL the server sends for a request, and the body it answers. `before` is a request of the same kind: it has the
 * connections opened and the key looked up, which would be recorded as well. `made`: the ids the request made. Throws
 * unless both answer 200.
 */
export async function capture(
  app: App,
  key: string,
  call: Call,
  before: Call,
): Promise<{ plan: Plan; made: string[]; body: string }> {
  const request = async ({ method, path, body, contentType = 'application/json' }: Call) => {
    const reply = await app.inject({
      method,
      url: path,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': contentType }) },
      ...(body && { payload: body }),
    })
    if (reply.statusCode !== 200) throw new Error(`${method} ${path} answered ${reply.statusCode}: ${reply.body}`)
    return reply.body
  }
  const first = await recording(() => request(before).then(() => {}))
  let body = ''
  const plan = await recording(async () => {
    body = await request(call)
  })
  // What isn't the same the second time was made by the request.
  const made = [...idsIn(plan).difference(idsIn(first))]
  return { plan, made, body }
}

import type { FastifyBaseLogger } from 'fastify'
import type { JobWithMetadata, QueueOptions } from 'pg-boss'
import type { Actor } from '../db/context.ts'
import type { Enqueued, JobData, Jobs, Queue } from '../db/jobs.ts'
import type { Scope } from '../db/scope.ts'

/** Does one job. What it throws has it done again later, with growing pauses, until its queue gives it up. */
export type Handler<Q extends Queue> = (scope: Scope, data: JobData[Q], signal: AbortSignal) => Promise<void>

/** A kind of background work. */
export interface Work<Q extends Queue> {
  handler: Handler<Q>
  /** Called when a job is given up, with its last error. */
  givenUp?: (scope: Scope, data: JobData[Q], error: unknown) => Promise<void>
  /** How many of them one server does at once. */
  concurrency: number
  options?: Pick<QueueOptions, 'retryLimit' | 'expireInSeconds'>
}

export type AllWork = { [Q in Queue]: Work<Q> }

export interface Workers {
  /** Does the work as it comes in, until stopped. */
  start(): Promise<void>
  /** Does what is due now, and what that leads to, to its end. For tests. */
  runDue(): Promise<void>
  /** Ends it. What is being done is finished, or done again by the next server. */
  stop(): Promise<void>
}

/** What a job says. */
type Told = JobData[Queue] & Enqueued

/** A server that dies mid-work is noticed by its silence. */
const SILENT_S = 20

const DEFAULTS: QueueOptions = {
  heartbeatSeconds: SILENT_S,
  expireInSeconds: 60 * 60,
  retryLimit: 8,
  retryDelay: 2,
  retryBackoff: true,
  retryDelayMax: 5 * 60,
  deleteAfterSeconds: 24 * 60 * 60,
}

/** The background work over the queues of `jobs`. */
export async function createWorkers(
  jobs: Jobs,
  scopeOf: (actor: Actor) => Scope,
  all: Partial<AllWork>,
  logger: FastifyBaseLogger,
): Promise<Workers> {
  const { boss } = jobs
  const queues = Object.keys(all) as Queue[]
  const work = all as unknown as Record<Queue, Work<Queue>>
  const optionsOf = (queue: Queue): QueueOptions => ({ ...DEFAULTS, ...work[queue].options })
  await jobs.open(Object.fromEntries(queues.map((queue) => [queue, optionsOf(queue)])) as Record<Queue, QueueOptions>)

  async function run(queue: Queue, job: JobWithMetadata<Told>): Promise<void> {
    const { organization_id, user_id, request_id, ...data } = job.data
    const scope = scopeOf({
      organizationId: organization_id,
      userId: user_id,
      keyId: null,
      scopes: [],
      requestId: request_id,
      operator: false,
    })
    try {
      await work[queue].handler(scope, data as JobData[Queue], job.signal)
    } catch (error) {
      logger.warn({ err: error, queue, job: job.id, organization: organization_id }, 'background work failed')
      if (job.retryCount >= job.retryLimit) await work[queue].givenUp?.(scope, data as JobData[Queue], error)
      throw error
    }
  }

  const ids = new Map<Queue, string[]>()
  return {
    async start() {
      for (const queue of queues) {
        const working = Array.from({ length: work[queue].concurrency }, () =>
          boss.work(queue, { includeMetadata: true }, ([job]: JobWithMetadata<Told>[]) => run(queue, job!)),
        )
        ids.set(queue, await Promise.all(working))
      }
      jobs.onWake((queue) => {
        for (const id of ids.get(queue) ?? []) boss.notifyWorker(id)
      })
    },
    async runDue() {
      for (let idle = false; !idle; ) {
        idle = true
        for (const queue of queues) {
          const due: JobWithMetadata<Told>[] = await boss.fetch(queue, {
            includeMetadata: true,
            ignoreStartAfter: true,
          })
          for (const job of due) {
            idle = false
            const { signal } = new AbortController()
            try {
              await run(queue, { ...job, signal })
              await boss.complete(queue, job.id)
            } catch (error) {
              await boss.fail(queue, job.id, { message: String(error) })
            }
          }
        }
      }
    },
    stop: () => jobs.close(),
  }
}

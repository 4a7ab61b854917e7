import type { FastifyBaseLogger } from 'fastify'
import type { JobWithMetadata, QueueOptions } from 'pg-boss'
import type { Actor } from '../db/context.ts'
import { deadLetterQueue, type JobData, type JobOrigin, type Jobs, type Queue } from '../db/jobs.ts'
import type { Scope } from '../db/scope.ts'
import { ApiError } from '../lib/errors.ts'

/** Does one job. What it throws has it done again later, with growing pauses, until its queue gives it up. */
export type Handler<Q extends Queue> = (scope: Scope, data: JobData[Q], signal: AbortSignal) => Promise<void>

/** A kind of background work. */
export interface Work<Q extends Queue> {
  handler: Handler<Q>
  /**
   * Called once a job is given up, also by the death of the server that did it for the last time, unless another one does
   * its work. `reason`: what its last error tells the owner; undefined for a fault of the server.
   */
  givenUp?: (scope: Scope, data: JobData[Q], reason: string | undefined) => Promise<void>
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
type Told = JobData[Queue] & JobOrigin

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

/** What is to be done with the jobs that were given up is short, and mustn't be given up in turn. */
const LAST_WORDS: QueueOptions = {
  heartbeatSeconds: SILENT_S,
  retryLimit: 10_000,
  retryDelay: 30,
  retryBackoff: false,
  deleteAfterSeconds: 24 * 60 * 60,
}

/** A job's error, as it is kept with the job. */
class Failed extends Error {
  /** What the owner may know of it. */
  readonly told: string | undefined

  constructor(error: unknown, told?: string) {
    super(String(error), { cause: error })
    this.told = told ?? (error instanceof ApiError ? error.message : undefined)
  }
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
  const open: Record<string, QueueOptions> = {}
  for (const queue of queues) {
    const deadLetter = work[queue].givenUp && deadLetterQueue(queue)
    if (deadLetter) open[deadLetter] = LAST_WORDS
    open[queue] = { ...DEFAULTS, ...work[queue].options, ...(deadLetter && { deadLetter }) }
  }
  await jobs.open(open)

  /** What a job is about: for whom it is done, and what it is told. */
  function read({ organization_id, user_id, request_id, ...data }: Told) {
    const actor = { organizationId: organization_id, userId: user_id, keyId: null, requestId: request_id }
    return { scope: scopeOf({ ...actor, scopes: [], operator: false }), data: data as JobData[Queue] }
  }

  async function run(queue: Queue, job: JobWithMetadata<Told>): Promise<void> {
    const { scope, data } = read(job.data)
    try {
      await work[queue].handler(scope, data, job.signal)
    } catch (error) {
      const { organization_id: organization } = job.data
      logger.warn({ err: error, queue, job: job.id, organization }, 'background work failed')
      throw new Failed(error)
    }
  }

  /** Does what is to be done once a job of a queue is given up. */
  async function bury(queue: Queue, job: JobWithMetadata<Told>): Promise<void> {
    if (await jobs.isSuperseded(queue, job.id)) return
    const { scope, data } = read(job.data)
    const { told } = (job.output ?? {}) as { told?: string }
    try {
      await work[queue].givenUp!(scope, data, told)
    } catch (error) {
      logger.warn({ err: error, queue, job: job.id }, 'background work that was given up could not be ended')
      throw new Failed(error, told)
    }
  }

  /** Who does the jobs of each queue. */
  const doing: Record<string, (job: JobWithMetadata<Told>) => Promise<void>> = {}
  for (const queue of queues) {
    doing[queue] = (job) => run(queue, job)
    if (work[queue].givenUp) doing[deadLetterQueue(queue)] = (job) => bury(queue, job)
  }

  const ids = new Map<string, string[]>()
  return {
    async start() {
      for (const [queue, does] of Object.entries(doing)) {
        const working = Array.from({ length: work[queue as Queue]?.concurrency ?? 1 }, () =>
          boss.work(queue, { includeMetadata: true }, ([job]: JobWithMetadata<Told>[]) => does(job!)),
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
        for (const [queue, does] of Object.entries(doing)) {
          const due: JobWithMetadata<Told>[] = await boss.fetch(queue, {
            includeMetadata: true,
            ignoreStartAfter: true,
          })
          for (const job of due) {
            idle = false
            const { signal } = new AbortController()
            try {
              await does({ ...job, signal })
              await boss.complete(queue, job.id)
            } catch (error) {
              await boss.fail(queue, job.id, error as Error)
            }
          }
        }
      }
    },
    stop: () => jobs.close(),
  }
}

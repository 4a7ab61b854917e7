import type { FastifyBaseLogger } from 'fastify'
import type { JobWithMetadata, QueueOptions } from 'pg-boss'
import type { Actor } from '../db/context.ts'
import { deadLetterQueue, type JobData, type JobPayload, type Jobs, type Queue } from '../db/jobs.ts'
import type { Scope } from '../db/scope.ts'
import { ApiError } from '../lib/errors.ts'

/** Does one job. After an error the job is retried, with growing pauses, until its queue gives it up. */
export type Handler<Q extends Queue> = (scope: Scope, data: JobData[Q], signal: AbortSignal) => Promise<void>

/** A kind of background work. */
export interface Work<Q extends Queue> {
  handler: Handler<Q>
  /**
   * Called once a job has no retries left, also when the server died at the last one, unless a later job supersedes it.
   * `reason`: the public message of its last error; undefined for a fault of the server.
   */
  onExhausted?: (scope: Scope, data: JobData[Q], reason: string | undefined) => Promise<void>
  /** Jobs of this kind that one server does at once. */
  concurrency: number
  options?: Pick<QueueOptions, 'retryLimit' | 'expireInSeconds'>
}

export type AllWork = { [Q in Queue]: Work<Q> }

export interface Workers {
  /** Takes jobs from the queues, until `stop`. */
  start(): Promise<void>
  /** Does all due jobs, and the jobs that these enqueue. For tests. */
  runDue(): Promise<void>
  /** Finishes running jobs; the next server retries those that don't end in time. */
  stop(): Promise<void>
}

/** A server without a heartbeat for so long counts as dead: its jobs are retried. */
const HEARTBEAT_S = 20

const DEFAULTS: QueueOptions = {
  heartbeatSeconds: HEARTBEAT_S,
  expireInSeconds: 60 * 60,
  retryLimit: 8,
  retryDelay: 2,
  retryBackoff: true,
  retryDelayMax: 5 * 60,
  deleteAfterSeconds: 24 * 60 * 60,
}

/** Dead letters are handled quickly, and must not be given up in turn. */
const DEAD_LETTER_OPTIONS: QueueOptions = {
  heartbeatSeconds: HEARTBEAT_S,
  retryLimit: 10_000,
  retryDelay: 30,
  retryBackoff: false,
  deleteAfterSeconds: 24 * 60 * 60,
}

/** The error of a job, as it is stored with the job. */
class JobError extends Error {
  /** The message for the owner of the job; undefined for a fault of the server. */
  readonly publicMessage: string | undefined

  constructor(error: unknown, publicMessage?: string) {
    super(String(error), { cause: error })
    this.publicMessage = publicMessage ?? (error instanceof ApiError ? error.message : undefined)
  }
}

/** The workers of the queues of `jobs`. */
export async function createWorkers(
  jobs: Jobs,
  scopeOf: (actor: Actor) => Scope,
  all: Partial<AllWork>,
  logger: FastifyBaseLogger,
): Promise<Workers> {
  const { boss } = jobs
  const queues = Object.keys(all) as Queue[]
  // It holds: the jobs of a queue have the data of that queue, as `Jobs.add` takes no other.
  const work = all as unknown as Record<Queue, Work<Queue>>
  const open: Record<string, QueueOptions> = {}
  for (const queue of queues) {
    const deadLetter = work[queue].onExhausted && deadLetterQueue(queue)
    if (deadLetter) open[deadLetter] = DEAD_LETTER_OPTIONS
    open[queue] = { ...DEFAULTS, ...work[queue].options, ...(deadLetter && { deadLetter }) }
  }
  await jobs.open(open)

  /** The scope of the organization that a job belongs to, and the data of the job. */
  function read({ organization_id, user_id, request_id, ...data }: JobPayload) {
    const actor = { organizationId: organization_id, userId: user_id, keyId: null, requestId: request_id }
    return { scope: scopeOf({ ...actor, scopes: [], operator: false }), data: data as JobData[Queue] }
  }

  async function run(queue: Queue, job: JobWithMetadata<JobPayload>): Promise<void> {
    const { scope, data } = read(job.data)
    try {
      await work[queue].handler(scope, data, job.signal)
    } catch (error) {
      const { organization_id: organization } = job.data
      logger.warn({ err: error, queue, job: job.id, organization }, 'background work failed')
      throw new JobError(error)
    }
  }

  /** Runs `onExhausted` for a job that its queue gave up, unless a later job supersedes it. */
  async function handleDeadLetter(queue: Queue, job: JobWithMetadata<JobPayload>): Promise<void> {
    if (await jobs.isSuperseded(queue, job.id)) return
    const { scope, data } = read(job.data)
    const { publicMessage } = (job.output ?? {}) as { publicMessage?: string }
    try {
      await work[queue].onExhausted!(scope, data, publicMessage)
    } catch (error) {
      logger.warn({ err: error, queue, job: job.id }, 'a dead letter could not be handled')
      throw new JobError(error, publicMessage)
    }
  }

  /** The handler of each queue, of dead letters too. */
  const handlers: Record<string, (job: JobWithMetadata<JobPayload>) => Promise<void>> = {}
  for (const queue of queues) {
    handlers[queue] = (job) => run(queue, job)
    if (work[queue].onExhausted) handlers[deadLetterQueue(queue)] = (job) => handleDeadLetter(queue, job)
  }

  const ids = new Map<string, string[]>()
  return {
    async start() {
      for (const [queue, handle] of Object.entries(handlers)) {
        const working = Array.from({ length: work[queue as Queue]?.concurrency ?? 1 }, () =>
          boss.work(queue, { includeMetadata: true }, ([job]: JobWithMetadata<JobPayload>[]) => handle(job!)),
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
        for (const [queue, handle] of Object.entries(handlers)) {
          const due: JobWithMetadata<JobPayload>[] = await boss.fetch(queue, {
            includeMetadata: true,
            ignoreStartAfter: true,
          })
          for (const job of due) {
            idle = false
            const { signal } = new AbortController()
            try {
              await handle({ ...job, signal })
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

import type { FastifyBaseLogger } from 'fastify'
import type { JobWithMetadata } from 'pg-boss'
import type { Actor } from '../db/context.ts'
import { deadLetterQueue, type JobData, type JobPayload, type Jobs, type Queue } from '../db/jobs.ts'
import type { Scope } from '../db/scope.ts'
import { ApiError } from '../lib/errors.ts'
import type { AllWork, Work } from './work.ts'

export type Job = JobWithMetadata<JobPayload>

/** Runs one job. Throws when the job has failed. */
type RunJob = (job: Job) => Promise<void>

interface Services {
  jobs: Jobs
  scopeOf: (actor: Actor) => Scope
  logger: FastifyBaseLogger
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

/** The scope of the organization that a job belongs to, and the data of the job. */
function read({ scopeOf }: Services, { organization_id, user_id, request_id, ...data }: JobPayload) {
  const actor = { organizationId: organization_id, userId: user_id, keyId: null, requestId: request_id }
  return { scope: scopeOf({ ...actor, scopes: [], operator: false }), data: data as JobData[Queue] }
}

const runWork =
  (services: Services, queue: Queue, work: Work<Queue>): RunJob =>
  async (job) => {
    const { scope, data } = read(services, job.data)
    try {
      await work.handler(scope, data, job.signal)
    } catch (error) {
      const { organization_id: organization } = job.data
      services.logger.warn({ err: error, queue, job: job.id, organization }, 'background work failed')
      throw new JobError(error)
    }
  }

/** Runs `onExhausted` for a job that its queue gave up, unless a later job supersedes it. */
const handleDeadLetter =
  (services: Services, queue: Queue, onExhausted: NonNullable<Work<Queue>['onExhausted']>): RunJob =>
  async (job) => {
    if (await services.jobs.isSuperseded(queue, job.id)) return
    const { scope, data } = read(services, job.data)
    const { publicMessage } = (job.output ?? {}) as { publicMessage?: string }
    try {
      await onExhausted(scope, data, publicMessage)
    } catch (error) {
      services.logger.warn({ err: error, queue, job: job.id }, 'a dead letter could not be handled')
      throw new JobError(error, publicMessage)
    }
  }

/** The handler of each queue, and of each queue of dead letters. */
export function createHandlers(services: Services, all: AllWork): ReadonlyMap<string, RunJob> {
  const handlers = new Map<string, RunJob>()
  for (const [name, entry] of Object.entries(all)) {
    const queue = name as Queue
    // It holds: the jobs of a queue have the data of that queue, as `Jobs.add` takes no other.
    const work = entry as Work<Queue>
    handlers.set(queue, runWork(services, queue, work))
    if (work.onExhausted) handlers.set(deadLetterQueue(queue), handleDeadLetter(services, queue, work.onExhausted))
  }
  return handlers
}

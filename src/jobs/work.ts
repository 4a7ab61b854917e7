import type { QueueOptions } from 'pg-boss'
import { MAX_RETRY_DELAY_S } from '../db/job-times.ts'
import { deadLetterQueue, type JobData, type Queue } from '../db/jobs.ts'
import type { Scope } from '../db/scope.ts'

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

/** The work of each queue. A queue without work is not opened. */
export type AllWork = { readonly [Q in Queue]?: Work<Q> }

/** A server without a heartbeat for so long counts as dead: its jobs are retried. */
const HEARTBEAT_S = 20

const DEFAULTS: QueueOptions = {
  heartbeatSeconds: HEARTBEAT_S,
  expireInSeconds: 60 * 60,
  retryLimit: 8,
  retryDelay: 2,
  retryBackoff: true,
  retryDelayMax: MAX_RETRY_DELAY_S,
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

/** The options of the queues of all work, and of the queues of their dead letters. */
export function queueOptions(all: AllWork): Record<string, QueueOptions> {
  const options: Record<string, QueueOptions> = {}
  for (const [queue, work] of Object.entries(all)) {
    const deadLetter = work.onExhausted && deadLetterQueue(queue as Queue)
    if (deadLetter) options[deadLetter] = DEAD_LETTER_OPTIONS
    options[queue] = { ...DEFAULTS, ...work.options, ...(deadLetter && { deadLetter }) }
  }
  return options
}

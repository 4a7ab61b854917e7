import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../db/context.ts'
import type { Jobs, Queue } from '../db/jobs.ts'
import type { Scope } from '../db/scope.ts'
import { createHandlers, type Job } from './handlers.ts'
import { type AllWork, queueOptions } from './work.ts'

export interface Workers {
  /** Takes jobs from the queues, until `stop`. */
  start(): Promise<void>
  /** Does all due jobs, and the jobs that these enqueue. For tests. */
  runDue(): Promise<void>
  /** Finishes running jobs; the next server retries those that don't end in time. */
  stop(): Promise<void>
}

/** The workers of the queues of `jobs`. */
export async function createWorkers(
  jobs: Jobs,
  scopeOf: (actor: Actor) => Scope,
  all: AllWork,
  logger: FastifyBaseLogger,
): Promise<Workers> {
  const { boss } = jobs
  await jobs.open(queueOptions(all))
  const handlers = createHandlers({ jobs, scopeOf, logger }, all)
  const ids = new Map<string, string[]>()

  /** Runs the jobs of a queue that are due. Returns their number. */
  async function runQueue(queue: string, handle: (job: Job) => Promise<void>): Promise<number> {
    const due: Job[] = await boss.fetch(queue, { includeMetadata: true, ignoreStartAfter: true })
    for (const job of due) {
      try {
        await handle({ ...job, signal: new AbortController().signal })
        await boss.complete(queue, job.id)
      } catch (error) {
        await boss.fail(queue, job.id, error as Error)
      }
    }
    return due.length
  }

  return {
    async start() {
      for (const [queue, handle] of handlers) {
        const working = Array.from({ length: all[queue as Queue]?.concurrency ?? 1 }, () =>
          boss.work(queue, { includeMetadata: true }, ([job]: Job[]) => handle(job!)),
        )
        ids.set(queue, await Promise.all(working))
      }
      jobs.onWake((queue) => {
        for (const id of ids.get(queue) ?? []) boss.notifyWorker(id)
      })
    },
    async runDue() {
      for (let count = -1; count !== 0; ) {
        count = 0
        const waiting = await jobs.waiting()
        for (const [queue, handle] of handlers) {
          if (waiting.has(queue)) count += await runQueue(queue, handle)
        }
      }
    },
    stop: () => jobs.close(),
  }
}

import { setTimeout } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../db/context.ts'
import type { Jobs, Queue } from '../db/jobs.ts'
import type { Scope } from '../db/scope.ts'
import { createHandlers, type Job } from './handlers.ts'
import { type AllWork, queueOptions } from './work.ts'

/** The interval at which due jobs are looked for: those of other servers, and those that were put off. */
const POLL_MS = 2_000

/** Each worker by itself looks rarely: one statement looks for all of them. */
const WORKER = { includeMetadata: true, pollingIntervalSeconds: 60 } as const

export interface Workers {
  /** Takes jobs from the queues, until `stop`. */
  start(): Promise<void>
  /** Does all due jobs, and the jobs that these enqueue. For tests. */
  runDue(): Promise<void>
  /** Finishes running jobs; the next server retries those that don't end in time. */
  stop(): Promise<void>
}

/** Starts a worker, which looks for the next job as soon as one is done. Returns its id. */
async function startWorker({ boss }: Jobs, queue: string, handle: (job: Job) => Promise<void>): Promise<string> {
  const id: string = await boss.work(queue, WORKER, async ([job]: Job[]) => {
    try {
      await handle(job!)
    } finally {
      boss.notifyWorker(id)
    }
  })
  return id
}

/** Wakes the workers of the queues in which jobs are due, again and again until `signal`. */
async function poll(jobs: Jobs, queues: string[], wake: (queue: string) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // Where the database can't be reached, the next look finds what is due.
    for (const queue of await jobs.due(queues).catch(() => [])) wake(queue)
    await setTimeout(POLL_MS, undefined, { signal }).catch(() => {})
  }
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
  const stopping = new AbortController()
  let polling: Promise<void> | undefined

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

  const wake = (queue: string) => {
    for (const id of ids.get(queue) ?? []) boss.notifyWorker(id)
  }

  return {
    async start() {
      for (const [queue, handle] of handlers) {
        const length = all[queue as Queue]?.concurrency ?? 1
        ids.set(queue, await Promise.all(Array.from({ length }, () => startWorker(jobs, queue, handle))))
      }
      jobs.onWake(wake)
      polling = poll(jobs, [...handlers.keys()], wake, stopping.signal)
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
    async stop() {
      stopping.abort()
      await polling
      await jobs.close()
    },
  }
}

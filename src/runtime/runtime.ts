import { randomUUID } from 'node:crypto'
import type { Scope } from '../db/scope.ts'
import { instantOf } from '../lib/ids.ts'
import type { AcceptedRun, NewRun } from './accept.ts'
import { type Carrier, carry, type RuntimeDeps } from './carry.ts'
import { createHeldRuns, type LocalRun } from './held-runs.ts'
import { withImages } from './images.ts'
import { CancelledError, StoppingError } from './interruptions.ts'
import { createAcceptance } from './refusals.ts'
import { createEventStore } from './store-events.ts'
import { SUPERVISION, type Supervision, superviseRuns } from './supervise.ts'
import { createWakeUps } from './wake-ups.ts'

/** Carries out runs of agents. */
export interface Runtime {
  /** The id of this server among those that carry out runs. */
  readonly owner: string
  /** Resolves once the server has found the runs of servers that are gone: before, it should have none of its own. */
  readonly begun: Promise<void>
  /** Stores a run, and carries it out here once its thread is free. 400 for an image that can't be read. */
  start(scope: Scope, run: Omit<NewRun, 'owner'>): Promise<AcceptedRun>
  /** The run, where this server carries it out or holds its caller. */
  local(runId: string): LocalRun | undefined
  /** Ends a run that is cancelled at once, at whatever server: the call of its model, or the wait of its caller. */
  cancel(runId: string): void
  /** Resolves when a run of another server changes, after `ms`, or with the signal. */
  changed(runId: string, ms: number, signal?: AbortSignal): Promise<void>
  /** The runs that this server carries out, and those of its callers that wait. */
  activity(): { running: number; waiting: number }
  /** Stops: runs of this server are left to another server, or to the next start. */
  close(): Promise<void>
}

/** Creates the runtime of a server. */
export function createRuntime(deps: RuntimeDeps, supervision: Supervision = SUPERVISION): Runtime {
  const owner = randomUUID()
  const held = createHeldRuns(deps.logger)
  const wakeUps = createWakeUps(deps.database)
  const events = createEventStore(deps.database.kysely, wakeUps)
  const acceptance = createAcceptance()
  const carrier: Carrier = { ...deps, owner, held, wakeUps, events, acceptance }
  const { begun, stop } = superviseRuns(carrier, supervision)
  return {
    owner,
    begun,
    async start(scope, given) {
      const run = { ...given, request: await withImages(given.request, deps.fetch) }
      const accept = (tx: Scope) => acceptance.accept(tx, { ...run, owner })
      const accepted = await (run.alongside
        ? scope.transaction(async (tx) => {
            await run.alongside!(tx)
            return accept(tx)
          })
        : accept(scope))
      if (accepted.state === 'known' || accepted.state === 'reused') return accepted
      held.hold(accepted.id)
      if (accepted.state === 'running') {
        const { threadId, agentId, conversationId, groupId, actor, request } = run
        const hasCallback = run.callbackUrl !== undefined
        const owned = { id: accepted.id, threadId, agentId, conversationId, groupId, owner, fence: 1, hasCallback }
        held.work(
          carry(carrier, { run: owned, actor, request, startedAt: instantOf(accepted.id)!.getTime(), attempts: 1 }),
        )
      }
      return accepted
    },
    local: (runId) => held.find(runId),
    cancel(runId) {
      held.abort(runId, new CancelledError())
      // A run that waited is over at once: its caller reads how it ended.
      if (!held.isRunning(runId)) held.end(runId, undefined)
      wakeUps.send('changed', runId)
    },
    changed(runId, ms, signal) {
      wakeUps.send('watched', runId)
      return wakeUps.wait(runId, ms, signal)
    },
    activity: () => ({ running: held.running.length, waiting: held.waiting.length }),
    async close() {
      await held.close(new StoppingError())
      await stop()
    },
  }
}

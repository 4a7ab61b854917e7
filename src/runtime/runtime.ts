import { randomUUID } from 'node:crypto'
import type { Scope } from '../db/scope.ts'
import { type AcceptedRun, acceptRun, type NewRun } from './accept.ts'
import { type Carrier, carry, type RuntimeDeps } from './carry.ts'
import { CancelledError, StoppingError } from './carry-out.ts'
import { createHeldRuns, type LocalRun } from './held-runs.ts'
import { superviseRuns } from './supervise.ts'

/** Carries out runs of agents. */
export interface Runtime {
  /** Stores a run, and carries it out here once its thread is free. */
  start(scope: Scope, run: Omit<NewRun, 'owner'>): Promise<AcceptedRun>
  /** The run, where this server carries it out or holds its caller. */
  local(runId: string): LocalRun | undefined
  /** Ends the model's call of a run of this server at once. */
  cancel(runId: string): void
  /** Stops: runs of this server are left to another server, or to the next start. */
  close(): Promise<void>
}

/** Creates the runtime of a server. */
export function createRuntime(deps: RuntimeDeps): Runtime {
  const owner = randomUUID()
  const held = createHeldRuns(deps.logger)
  const carrier: Carrier = { ...deps, owner, held }
  const stopSupervising = superviseRuns(carrier)
  return {
    async start(scope, run) {
      const accepted = await acceptRun(scope, { ...run, owner })
      if (accepted.state === 'known' || accepted.state === 'reused') return accepted
      held.hold(accepted.id)
      if (accepted.state === 'running') {
        const { threadId, agentId, conversationId, actor, request } = run
        const owned = { id: accepted.id, threadId, agentId, conversationId, owner, fence: 1 }
        held.work(carry(carrier, { run: owned, actor, request, startedAt: Date.now(), attempts: 1 }))
      }
      return accepted
    },
    local: (runId) => held.find(runId),
    cancel: (runId) => held.abort(runId, new CancelledError()),
    async close() {
      await held.close(new StoppingError())
      await stopSupervising()
    },
  }
}

import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../db/context.ts'
import type { Database } from '../db/engine/database.ts'
import { isDisconnected } from '../db/pg-errors.ts'
import type { Scope } from '../db/scope.ts'
import { isOfGroup } from '../resources/messages/table.ts'
import type { LanguageModels } from '../resources/models/language.ts'
import { observeRun } from '../telemetry/runs.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { carryOut } from './carry-out.ts'
import { type ClaimedRun, claimNext, takeOver } from './claim.ts'
import { startOfHold } from './event-log.ts'
import type { HeldRuns } from './held-runs.ts'
import { LostRunError } from './interruptions.ts'
import { type Acceptance, pendingRequestIn } from './refusals.ts'
import type { EventStore } from './store-events.ts'
import type { ToolServices } from './tools/tool.ts'
import type { QueuedRun } from './turn.ts'
import { POLL_MS, type WakeUps } from './wake-ups.ts'

/** What a runtime is made of. */
export interface RuntimeDeps {
  database: Database
  models: LanguageModels
  scopeOf(actor: Actor): Scope
  logger: FastifyBaseLogger
  /** `fetch` for addresses of users. */
  fetch: typeof globalThis.fetch
  tools: ToolServices
  telemetry: Telemetry
}

/** What carrying out runs needs. */
export interface Carrier extends RuntimeDeps {
  /** The id of this server's runtime. */
  owner: string
  held: HeldRuns
  wakeUps: WakeUps
  events: EventStore
  acceptance: Acceptance
}

/** Carries out the runs of a thread, if it is free and one waits. */
async function beginQueued(carrier: Carrier, scope: Scope, threadId: string): Promise<void> {
  const claimed = carrier.held.isClosing ? undefined : await claimNext(scope, threadId, carrier.owner)
  if (claimed) await carry(carrier, claimed)
}

/** Carries out a claimed run, then those that wait for its thread. */
export async function carry(carrier: Carrier, claimed: ClaimedRun): Promise<void> {
  const { held, models, scopeOf, logger, telemetry, owner, wakeUps, tools, events } = carrier
  let next: ClaimedRun | undefined = claimed
  while (next) {
    const { run, actor, request, startedAt, attempts }: ClaimedRun = next
    const { log, signal } = held.begin(run.id, startOfHold(run.fence))
    // The messages of a group's run are those of its members.
    log.isStored = request.streaming === true || request.background === true || isOfGroup(run)
    const scope = scopeOf(actor)
    const begin = ({ id, threadId }: QueuedRun) => {
      held.hold(id)
      held.work(beginQueued(carrier, scope, threadId))
      wakeUps.send('changed', run.id)
    }
    const changed = (id: string) => wakeUps.wait(id, POLL_MS, signal)
    const storing = log.isStored ? events.follow(scope.organizationId, run, log) : undefined
    if (storing) held.onWatch(run.id, storing.hurry)
    // Its caller may wait at another server.
    if (next !== claimed) wakeUps.send('changed', run.id)
    let again: ClaimedRun | undefined
    try {
      const start = { scope, run, request, log, signal, startedAt, attempts, tools, telemetry, begin, changed }
      const outcome = await observeRun(telemetry, run, () => carryOut(start, models, logger))
      if (pendingRequestIn(outcome?.failure?.error)) {
        const otids = request.messages.map(({ otid }) => otid)
        carrier.acceptance.count(run.threadId, otids)
      }
      held.end(run.id, outcome)
      // Should the server end before, the next run of the agent does it: searches by words find the messages at once.
      if (outcome?.embeds) await scope.enqueue('embed_messages', { agent_id: run.agentId }, run.agentId)
    } catch (error) {
      if (!(error instanceof LostRunError)) logger.error({ err: error, run: run.id }, 'run interrupted')
      held.end(run.id, undefined)
      // Where the connection breaks again, the run is an orphan for a while.
      if (isDisconnected(error) && attempts === 1 && !held.isClosing) again = await takeOver(scope, run, owner)
    }
    storing?.stop()
    wakeUps.send('changed', run.id)
    next = again ?? (held.isClosing || run.waitingAtEnd === 0 ? undefined : await claimNext(scope, run.threadId, owner))
  }
}

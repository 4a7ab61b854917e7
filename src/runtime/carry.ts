import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../db/context.ts'
import type { Database } from '../db/engine/database.ts'
import type { Scope } from '../db/scope.ts'
import type { LanguageModels } from '../resources/models/language.ts'
import { carryOut } from './carry-out.ts'
import { type ClaimedRun, claimNext } from './claim.ts'
import type { HeldRuns } from './held-runs.ts'
import { storeWhileRunning } from './store-events.ts'

/** What a runtime is made of. */
export interface RuntimeDeps {
  database: Database
  models: LanguageModels
  scopeOf(actor: Actor): Scope
  logger: FastifyBaseLogger
}

/** What carrying out runs needs. */
export interface Carrier extends RuntimeDeps {
  /** The id of this server's runtime. */
  owner: string
  held: HeldRuns
}

/** Carries out a claimed run, then those that wait for its thread. */
export async function carry(carrier: Carrier, claimed: ClaimedRun): Promise<void> {
  const { held, models, scopeOf, logger, owner } = carrier
  let next: ClaimedRun | undefined = claimed
  while (next) {
    const { run, actor, request, startedAt }: ClaimedRun = next
    const local = held.begin(run.id)
    const scope = scopeOf(actor)
    const isStream = request.streaming === true || request.background === true
    const storeRest = isStream ? storeWhileRunning(scope, run, local.log.events) : undefined
    const start = { scope, run, request, log: local.log, signal: local.signal, startedAt }
    try {
      const outcome = await carryOut(start, models, logger)
      await storeRest?.()
      held.end(run.id, outcome)
    } catch (error) {
      logger.error({ err: error, run: run.id }, 'run interrupted')
      held.end(run.id, undefined)
    }
    next = held.isClosing ? undefined : await claimNext(scope, run.threadId, owner)
  }
}

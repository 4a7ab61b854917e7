import type { Actor } from '../db/context.ts'
import { type Carrier, carry } from './carry.ts'
import {
  claimNext,
  endForeignLeases,
  endLease,
  findCancelled,
  findGone,
  findOrphans,
  type Orphan,
  renewLease,
  takeOver,
} from './claim.ts'
import { closeRequest, EXPIRED, findExpired } from './close-request.ts'
import { startOfHold } from './event-log.ts'
import { CancelledError } from './interruptions.ts'
import { POLL_MS } from './wake-ups.ts'

/** How long others wait for a server that is silent, and how often it speaks up and looks for runs of others, in milliseconds. */
export interface Supervision {
  leaseMs: number
  renewMs: number
}

/** The defaults of servers. */
export const SUPERVISION: Supervision = { leaseMs: 30_000, renewMs: 10_000 }

/** The attempts to carry out a run whose server dies each time. */
const MAX_ATTEMPTS = 3

/** The actor that looks after the runs of an organization. A run itself acts as its caller. */
const systemActor = (organizationId: string): Actor => ({
  organizationId,
  userId: null,
  keyId: null,
  scopes: [],
  requestId: null,
  operator: false,
})

/** Carries on a run that no living server carries out. */
async function adopt(carrier: Carrier, { organization_id, id, thread_id, status, fence }: Orphan): Promise<void> {
  const { held, owner, scopeOf } = carrier
  const scope = scopeOf(systemActor(organization_id))
  const claimed =
    status === 'created' ? await claimNext(scope, thread_id, owner) : await takeOver(scope, { id, fence }, owner)
  if (!claimed) return
  held.begin(claimed.run.id, startOfHold(claimed.run.fence))
  if (claimed.attempts > MAX_ATTEMPTS) held.abort(claimed.run.id, new Error('The run ended its server several times.'))
  await carry(carrier, claimed)
}

/** The supervision of a server. */
interface Supervising {
  /** Resolves once the server has its lease, and has found the runs of servers that are gone. */
  begun: Promise<void>
  /** Ends the lease. */
  stop(): Promise<void>
}

/** Keeps the lease of this server, carries on the runs of servers that are gone, and looks for cancelled runs. */
export function superviseRuns(carrier: Carrier, { leaseMs, renewMs }: Supervision): Supervising {
  const { database, held, owner, logger, wakeUps } = carrier
  const { kysely } = database

  const adoptOrphans = async () => {
    for (const orphan of await findOrphans(kysely, owner, held.running)) {
      if (!held.isRunning(orphan.id)) held.work(adopt(carrier, orphan))
    }
  }
  const closeExpired = async () => {
    for (const { organizationId, ...target } of await findExpired(kysely)) {
      await closeRequest(carrier.scopeOf(systemActor(organizationId)), target, EXPIRED)
    }
  }
  const renew = async () => {
    wakeUps.isAlone = await renewLease(kysely, owner, leaseMs)
  }
  const lookAround = async () => {
    if (held.isEmpty) return
    for (const id of await findCancelled(kysely, owner)) held.abort(id, new CancelledError())
    const { waiting } = held
    if (waiting.length === 0) return
    for (const id of await findGone(kysely, owner, waiting)) if (!held.isRunning(id)) held.end(id, undefined)
  }
  const warn = (error: unknown) => logger.warn({ err: error }, 'runs can not be looked after')
  const every = (ms: number, task: () => Promise<unknown>) =>
    setInterval(() => {
      if (!held.isClosing) task().catch(warn)
    }, ms).unref()

  const begin = async () => {
    if (database.engine === 'embedded') await endForeignLeases(kysely)
    await renew()
    await adoptOrphans()
  }
  const begun = held.work(begin())
  const unlisten = wakeUps.listen((reason, ids) => {
    if (reason === 'watched') ids.forEach(held.watch)
    else if (!held.isClosing && ids.some((id) => held.find(id))) lookAround().catch(warn)
  })
  const timers = [
    every(renewMs, renew),
    every(renewMs, adoptOrphans),
    every(renewMs, closeExpired),
    every(POLL_MS, lookAround),
  ]
  return {
    begun,
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await unlisten()
      await endLease(kysely, owner)
    },
  }
}

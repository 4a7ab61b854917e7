import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import type { OwnedRun } from './commit.ts'
import type { Chunk, EventLog } from './event-log.ts'
import type { WakeUps } from './wake-ups.ts'

/** Events of a run are stored after this time, and sooner while a reader waits at another server. */
const FLUSH_MS = 500
const HURRY_MS = 50

/** The time for which a reader's wish counts: readers repeat it every second. */
const HURRY_FOR_MS = 3_000

/** Stores events of a run for readers at other servers and for later ones, unless another server owns the run. */
const storeEvents = ({ organizationId, query }: Scope, run: OwnedRun, { first, last, data }: Chunk) =>
  query(sql`
    insert into run_chunks (organization_id, run_id, last_seq, first_seq, data)
    select ${organizationId}, ${run.id}, ${last}, ${first}, ${data}::json
    from runs where organization_id = ${organizationId} and id = ${run.id} and owner = ${run.owner}
      and fence = ${run.fence}
    on conflict do nothing returning run_id`)

/**
 * Stores the events of a run while they come, one row for many; the commits of the run store the rest. Events that couldn't be
 * stored are stored with the next ones. `hurry`: a reader waits at another server. `stop` ends the storing.
 */
export function storeWhileRunning(scope: Scope, run: OwnedRun, log: EventLog, wakeUps: WakeUps) {
  let hurryUntil = 0
  let timer: NodeJS.Timeout | undefined
  const isHurried = () => performance.now() < hurryUntil
  const schedule = () => {
    clearTimeout(timer)
    timer = setTimeout(flush, isHurried() ? HURRY_MS : FLUSH_MS).unref()
  }
  const flush = async () => {
    const chunk = log.chunk()
    if (chunk) {
      await storeEvents(scope, run, chunk).then(
        () => log.markStored(chunk),
        () => {},
      )
    }
    if (timer) schedule()
  }
  schedule()
  log.onStored = () => isHurried() && wakeUps.send('changed', run.id)
  return {
    hurry() {
      const isNew = !isHurried()
      hurryUntil = performance.now() + HURRY_FOR_MS
      if (isNew && timer) schedule()
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

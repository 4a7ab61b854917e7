import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../db/context.ts'
import type { Database } from '../db/engine/database.ts'
import type { Scope } from '../db/scope.ts'
import { ApiError, conflict } from '../lib/errors.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import type { ScheduledMessage, Times } from '../resources/agents/schedule/schema.ts'
import { nextTime } from '../resources/agents/schedule/times.ts'
import { withCurrentRights } from '../resources/api-keys/current-rights.ts'
import { MESSAGE_TYPES } from '../resources/messages/schema.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { beginRun } from '../runtime/send.ts'

/** What begins runs that no request begins. */
export interface PlannedServices {
  database: Database
  runtime: Runtime
  scopeOf(actor: Actor): Scope
}

/** A due time that is noticed later than this was missed: no server was there. In milliseconds. */
const MISSED_MS = 60_000

/** The schedules that are looked for at once. */
const BATCH = 1_000

interface DueSchedule {
  organization_id: string
  id: string
  agent_id: string
  message: ScheduledMessage
  schedule: Times
  missed: 'run_once' | 'skip'
  due: string
  actor: Actor
}

/** Found without a lock: each is claimed by its key afterwards. */
async function findDue({ kysely }: Database, now: Date): Promise<DueSchedule[]> {
  const { rows } = await sql<DueSchedule>`
    select organization_id, id, agent_id, message, schedule, missed, next_scheduled_time as due, actor from schedules
    where next_scheduled_time <= ${now.toISOString()}::timestamptz order by next_scheduled_time limit ${BATCH}
  `.execute(kysely)
  return rows
}

/** Goes on from a due time, unless another server has done it, or somebody has changed the schedule. Returns whether it did. */
async function goOn(scope: Scope, { id, due }: DueSchedule, changes: RawBuilder<unknown>): Promise<boolean> {
  const rows = await scope.query(sql`
    update schedules set last_scheduled_time = ${due}::timestamptz, version = version + 1, ${changes}
    where organization_id = ${scope.organizationId} and id = ${id} and next_scheduled_time = ${due}::timestamptz
    returning id`)
  return rows.length > 0
}

/** Another server has begun the run of this due time. */
class TakenError extends Error {}

/** Whether a due time has begun a run: it comes again where the clock was put back and the schedule changed. */
async function hasRun(scope: Scope, { id, due }: DueSchedule): Promise<boolean> {
  const rows = await scope.query(sql`select 1 from runs where organization_id = ${scope.organizationId}
    and schedule_id = ${id} and scheduled_for = ${due}::timestamptz`)
  return rows.length > 0
}

/** The request of the next run. A message with the id of an earlier one would be that message, so it gets an id of its own. */
const requestOf = ({ messages, max_steps, include_return_message_types: types }: ScheduledMessage) => ({
  messages: messages.map(({ otid: _, ...message }) => message),
  ...(max_steps !== undefined && { max_steps }),
  ...(types && { include_return_message_types: types.filter((type) => MESSAGE_TYPES.includes(type)) }),
})

/** Begins the run of a due time in the transaction that goes on to the next one. Throws the reason why there can't be a run. */
async function begin(runtime: Runtime, scope: Scope, due: DueSchedule, next: string | null): Promise<void> {
  const { id, agent_id, message } = due
  const changes = sql`next_scheduled_time = ${next}::timestamptz, last_error = null`
  await beginRun(runtime, scope, { agentId: agent_id, threadId: agent_id }, requestOf(message), {
    background: true,
    runType: 'scheduled_message',
    callbackUrl: message.callback_url,
    origin: { schedule_id: id, scheduled_for: due.due },
    async alongside(tx) {
      if (!(await goOn(tx, due, changes))) throw new TakenError()
      if (await hasRun(tx, due)) throw conflict('This due time has begun a run before.')
    },
  })
}

/** Begins the run of one due schedule, or stores the reason why there is none. An error of the database is left to the next look. */
async function fire({ runtime, scopeOf }: PlannedServices, schedule: DueSchedule, now: Date): Promise<void> {
  const due = new Date(schedule.due)
  // The later of both: a clock that was put back makes no due time come again.
  const next = nextTime(schedule.schedule, due > now ? due : now)
  const scope = scopeOf(schedule.actor)
  const refuse = (reason: string, changes = sql`next_scheduled_time = ${next}::timestamptz`) =>
    goOn(scope, schedule, sql`last_error = ${reason}, ${changes}`)
  const actor = await withCurrentRights(scope, schedule.actor)
  if (!actor) {
    const reason = 'The key of this schedule is no longer valid: a change of the schedule by another key resumes it.'
    await refuse(reason, sql`next_scheduled_time = null, paused = true`)
    return
  }
  if (schedule.missed === 'skip' && now.getTime() - due.getTime() > MISSED_MS) {
    await refuse('No server was there at this time.')
    return
  }
  try {
    await begin(runtime, scopeOf(actor), schedule, next)
  } catch (error) {
    if (error instanceof TakenError) return
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    await refuse(error.message)
  }
}

/** The schedules whose runs one server begins at once: a message may have images to fetch. */
const AT_ONCE = 8

/**
 * Begins one run for each schedule that is due at `now`, whatever the number of its due times that have passed. A schedule whose
 * run can't be begun now stays due; its error is reported.
 */
export async function fireSchedules(services: PlannedServices, now: Date, report: (error: unknown) => void) {
  const semaphore = createSemaphore(AT_ONCE)
  const due = await findDue(services.database, now)
  await Promise.all(due.map((schedule) => semaphore(() => fire(services, schedule, now)).catch(report)))
}

import { NEXT } from '../../../db/marks.ts'
import { renderObject } from '../../../db/render/wrap.ts'
import type { Scope } from '../../../db/scope.ts'
import { conflict, notFound } from '../../../lib/errors.ts'
import { omitNullFields } from '../../../lib/json.ts'
import {
  type CreateSchedule,
  type ListSchedules,
  type Schedule,
  type ScheduledMessage,
  schedules,
  type UpdateSchedule,
} from './schema.ts'
import { firstTime } from './times.ts'

/** The schedules of one agent, at most. */
const MAX_SCHEDULES = 1_000

/** The fields of the message in a body; null stands for no value. */
type MessageFields = Pick<UpdateSchedule, 'messages' | 'callback_url' | 'include_return_message_types' | 'max_steps'>

/** The fields of the message among those of a body, without those that have no value. */
function messageOf(fields: MessageFields, before?: ScheduledMessage): ScheduledMessage {
  const { messages, callback_url, include_return_message_types, max_steps } = fields
  const given = Object.entries({ messages, callback_url, include_return_message_types, max_steps })
  const changed = { ...before, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) }
  // It holds: a new schedule has messages, and no patch takes them away.
  return omitNullFields(changed) as ScheduledMessage
}

/** Makes a schedule whose runs act for the caller. 404 for the agent, 422 for times that never come, 409 beyond a thousand. */
export async function createSchedule(scope: Scope, agent_id: string, body: CreateSchedule) {
  const { schedule } = body
  const next = firstTime(schedule)
  const paused = body.paused ?? false
  const count = await scope.count(schedules, (query) => query.where('schedules.agent_id', '=', agent_id))
  if (count >= MAX_SCHEDULES) throw conflict(`The agent has ${MAX_SCHEDULES} schedules already: delete one first.`)
  return scope.insert(schedules, {
    ...{ agent_id, schedule, paused, message: messageOf(body), missed: body.missed ?? 'run_once', actor: scope.actor },
    next_scheduled_time: paused ? null : next,
  })
}

/** A schedule of this agent. 404. */
export async function getSchedule(scope: Scope, agentId: string, id: string) {
  const schedule = await scope.get(schedules, id)
  if (schedule.agent_id !== agentId) throw notFound('schedule', id)
  return schedule
}

/** The schedules of an agent, newest first. 404 for an unknown agent. */
export async function listSchedules(scope: Scope, agentId: string, page: ListSchedules) {
  const scheduled_messages = await scope.list(schedules, page, (query) =>
    query.where('schedules.agent_id', '=', agentId),
  )
  // A schedule in the list shows that the agent exists.
  if (scheduled_messages.isEmpty) await scope.exists('agents', agentId)
  const next = scheduled_messages[NEXT]
  return renderObject({ scheduled_messages, has_next_page: next !== undefined }, next)
}

/**
 * Changes the fields that the body names, and has the next runs act for the caller. The next due time is the first one from now
 * on. 404, 412; 422 for times that never come.
 */
export const modifySchedule = (scope: Scope, agentId: string, id: string, body: UpdateSchedule): Promise<Schedule> =>
  scope.locking(schedules, id, async (tx) => {
    const before = await getSchedule(tx, agentId, id)
    const { schedule = before.schedule, paused = before.paused, missed } = body
    const isStarted = !paused && (before.paused || body.schedule !== undefined)
    const next = isStarted ? firstTime(schedule) : paused ? null : undefined
    return tx.update(schedules, id, {
      ...{ schedule, paused, missed, message: messageOf(body, before.message), actor: scope.actor },
      next_scheduled_time: next,
      ...(isStarted && { last_error: null }),
    })
  })

/** Deletes a schedule. Its runs stay. 404, 412. */
export async function deleteSchedule(scope: Scope, agentId: string, id: string): Promise<void> {
  await getSchedule(scope, agentId, id)
  await scope.remove(schedules, id)
}

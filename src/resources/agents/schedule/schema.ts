import { type Static, Type } from 'typebox'
import { defineResource } from '../../../db/resource.ts'
import {
  Closed,
  Create,
  Id,
  Instant,
  Int,
  List,
  Name,
  OneOf,
  Page,
  Params,
  Patch,
  Query,
  Ref,
  Shape,
  Strict,
} from '../../../lib/wire.ts'
import { CallbackUrl, MessageCreate } from '../../messages/body.ts'
import { MESSAGE_TYPES } from '../../messages/schema.ts'

const { Optional } = Type

/** The last millisecond of the year 9999. */
const LAST = 253_402_300_799_999

const OneTime = Strict({
  type: Optional(Type.Literal('one-time')),
  scheduled_at: Type.Integer({ minimum: 0, maximum: LAST, description: 'In milliseconds since 1970, UTC.' }),
})

const Recurring = Strict({
  type: Type.Literal('recurring'),
  cron_expression: Type.String({
    maxLength: 200,
    description: 'Minute, hour, day of month, month, day of week; or a word such as `@daily`.',
  }),
  timezone: Optional(Name({ description: 'The IANA time zone of the expression. Default UTC.' })),
})

const Times = Type.Union([OneTime, Recurring])
export type Times = Static<typeof Times>

const message = {
  messages: List(MessageCreate, { minItems: 1 }),
  callback_url: CallbackUrl,
  include_return_message_types: List(OneOf(MESSAGE_TYPES)),
  max_steps: Int({ minimum: 1, maximum: 1000, description: 'Default 50.' }),
}

const ScheduledMessage = Closed({
  messages: message.messages,
  callback_url: Optional(CallbackUrl),
  include_return_message_types: Optional(message.include_return_message_types),
  max_steps: Optional(message.max_steps),
})
export type ScheduledMessage = Static<typeof ScheduledMessage>

const settings = {
  missed: OneOf(['run_once', 'skip'], {
    description:
      'Whether due times that passed while no server was there are made up for by one run, or left out. Default run_once.',
  }),
  paused: Type.Boolean({ description: 'A paused schedule begins no runs. Default false.' }),
}

export const Schedule = Shape('Schedule', {
  id: Id('schedule'),
  agent_id: Id('agent'),
  message: ScheduledMessage,
  schedule: Times,
  next_scheduled_time: Optional(Instant({ description: 'Absent when the schedule is paused or over.' })),
  ...settings,
  last_scheduled_time: Optional(Instant({ description: 'The latest due time.' })),
  last_error: Optional(Type.String({ description: 'The reason why the latest due time began no run.' })),
  created_at: Instant(),
  updated_at: Instant(),
  created_by_id: Optional(Type.String()),
  last_updated_by_id: Optional(Type.String()),
})
export type Schedule = Static<typeof Schedule>

export const schedules = defineResource<Schedule>()(Schedule, {
  table: 'schedules',
  prefix: 'schedule',
  order: 'desc',
  json: ['message', 'schedule', 'actor'],
  unlogged: ['actor'],
})

/** A schedule that was made. `next_scheduled_at` repeats `next_scheduled_time`, for clients of the Letta API. */
export const MadeSchedule = Shape('MadeSchedule', { ...Schedule.properties, next_scheduled_at: Optional(Instant()) })

export const CreateSchedule = Create({ ...message, schedule: Times, ...settings }, ['messages', 'schedule'])
export type CreateSchedule = Static<typeof CreateSchedule>

export const UpdateSchedule = Patch({ ...message, schedule: Times, ...settings }, [
  'messages',
  'schedule',
  'missed',
  'paused',
])
export type UpdateSchedule = Static<typeof UpdateSchedule>

const { limit, order, after, before } = Page('schedule')

export const ListSchedules = Query({ limit, order, after, before })
export type ListSchedules = Static<typeof ListSchedules>

export const ScheduleList = Closed({ scheduled_messages: Type.Array(Ref(Schedule)), has_next_page: Type.Boolean() })

export const ListScheduledRuns = Query(Page('run'))

export const ScheduleParams = Params({ agent_id: Id('agent'), scheduled_message_id: Id('schedule') })

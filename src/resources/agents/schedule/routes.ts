import { Type } from 'typebox'
import { operationsOf } from '../../../http/operation.ts'
import type { App } from '../../../http/server.ts'
import { Closed, Ref } from '../../../lib/wire.ts'
import { runRequest } from '../../../runtime/request.ts'
import { Run, runs } from '../../runs/schema.ts'
import { AgentParams } from '../schema.ts'
import { createSchedule, deleteSchedule, getSchedule, listSchedules, modifySchedule } from './schedules.ts'
import {
  CreateSchedule,
  ListScheduledRuns,
  ListSchedules,
  MadeSchedule,
  Schedule,
  ScheduleList,
  ScheduleParams,
  UpdateSchedule,
} from './schema.ts'

const params = ScheduleParams

const operations = operationsOf('schedules', {
  list_schedules: [
    'List the schedules of an agent, newest first',
    { params: AgentParams, querystring: ListSchedules, response: { 200: ScheduleList } },
  ],
  create_schedule: [
    'Schedule messages to an agent, once or again and again',
    { params: AgentParams, body: CreateSchedule, response: { 200: Ref(MadeSchedule) } },
    { right: 'run' },
  ],
  retrieve_schedule: ['Retrieve a schedule', { params, response: { 200: Ref(Schedule) } }],
  modify_schedule: [
    'Modify a schedule: pause it, resume it, change its messages or its times',
    { params, body: UpdateSchedule, response: { 200: Ref(Schedule) } },
    { right: 'run' },
  ],
  delete_schedule: [
    'Delete a schedule; its runs stay',
    { params, response: { 200: Closed({ success: Type.Literal(true) }) } },
  ],
  list_runs_of_schedule: [
    'List the runs that a schedule has begun, newest first',
    { params, querystring: ListScheduledRuns, response: { 200: Type.Array(Ref(Run)) } },
  ],
})

/** `/v1/agents/{agent_id}/schedule` */
export async function scheduleRoutes(app: App) {
  const path = '/:agent_id/schedule/:scheduled_message_id'

  app.get('/:agent_id/schedule', operations.list_schedules, ({ scope, params, query }) =>
    listSchedules(scope, params.agent_id, query),
  )

  app.post('/:agent_id/schedule', operations.create_schedule, async ({ scope, params, body }) => {
    runRequest({ messages: body.messages })
    const made = await createSchedule(scope, params.agent_id, body)
    return { ...made, ...(made.next_scheduled_time && { next_scheduled_at: made.next_scheduled_time }) }
  })

  app.get(path, operations.retrieve_schedule, ({ scope, params }) =>
    getSchedule(scope, params.agent_id, params.scheduled_message_id),
  )

  app.patch(path, operations.modify_schedule, ({ scope, params, body }) => {
    if (body.messages) runRequest({ messages: body.messages })
    return modifySchedule(scope, params.agent_id, params.scheduled_message_id, body)
  })

  app.delete(path, operations.delete_schedule, async ({ scope, params }) => {
    await deleteSchedule(scope, params.agent_id, params.scheduled_message_id)
    return { success: true } as const
  })

  app.get(`${path}/runs`, operations.list_runs_of_schedule, async ({ scope, params, query }) => {
    const { id } = await getSchedule(scope, params.agent_id, params.scheduled_message_id)
    return scope.list(runs, query, (q) => q.where('runs.schedule_id', '=', id))
  })
}

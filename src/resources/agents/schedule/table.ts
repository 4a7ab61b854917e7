import type { Actor } from '../../../db/context.ts'
import type { RowOf } from '../../../db/tables.ts'
import type { Schedule } from './schema.ts'

export interface ScheduleRow extends RowOf<Schedule> {
  actor: Actor
}

declare module '../../../db/tables.ts' {
  interface Tables {
    schedules: ScheduleRow
  }
}

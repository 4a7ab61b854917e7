import type { Actor } from '../../db/context.ts'
import type { RowOf } from '../../db/tables.ts'
import type { Batch } from './schema.ts'

export interface BatchRow extends RowOf<Omit<Batch, 'job_type' | 'errors'>> {
  total: number
  actor: Actor
  owner: string | null
}

declare module '../../db/jobs.ts' {
  interface JobData {
    batch_callback: { batch_id: string }
  }
}

declare module '../../db/tables.ts' {
  interface Tables {
    batches: BatchRow
  }
}

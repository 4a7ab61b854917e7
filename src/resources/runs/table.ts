import type { OwnedRow } from '../../db/tables.ts'
import type { StopReason } from '../messages/schema.ts'

export const RUN_STATUSES = ['created', 'running', 'completed', 'failed', 'cancelled'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

export interface RunRow extends OwnedRow {
  agent_id: string | null
  conversation_id: string | null
  group_id: string | null
  parent_run_id: string | null
  thread_id: string
  status: RunStatus
  background: boolean | null
  metadata: Record<string, unknown> | null
  request_config: Record<string, unknown> | null
  stop_reason: StopReason | null
  callback_url: string | null
  callback_sent_at: string | null
  callback_status_code: number | null
  callback_error: string | null
  ttft_ns: number | null
  total_duration_ns: number | null
  base_template_id: string | null
  completed_at: string | null
  failure: unknown
  request: unknown
  actor: unknown
  queue_no: number
  owner: string | null
  fence: number
  attempts: number
  cancel_requested_at: string | null
  schedule_id: string | null
  scheduled_for: string | null
}

declare module '../../db/jobs.ts' {
  interface JobData {
    run_callback: { run_id: string }
  }
}

declare module '../../db/tables.ts' {
  interface Tables {
    runs: RunRow
  }
}

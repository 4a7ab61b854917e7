import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import { ApiError, notFound } from '../lib/errors.ts'
import type { RunRequest } from './request.ts'
import type { Runtime } from './runtime.ts'
import { readRun } from './send.ts'

/** The time for which the events of a run are kept after it was made, in milliseconds. */
const KEPT_MS = 3 * 60 * 60 * 1000

interface ResumeOptions {
  after: number
  pings: boolean
  signal: AbortSignal
}

/** The events of a background stream after a number, and those to come. 404, 400 for another run, 410 when they are gone. */
export async function resumeRun(runtime: Runtime, scope: Scope, id: string, { after, pings, signal }: ResumeOptions) {
  const [run] = await scope.query<{
    background: boolean | null
    created_at: string
    request: RunRequest
    of_group: boolean
  }>(sql`
    select background, created_at, request, agent_id is null as of_group from runs where organization_id = ${scope.organizationId} and id = ${id}`)
  if (!run) throw notFound('run', id)
  if (!run.background || !run.request.streaming) {
    throw new ApiError(
      'bad_request',
      'This run has no stream: only runs begun with background true and streaming have.',
    )
  }
  if (Date.parse(run.created_at) < Date.now() - KEPT_MS) {
    throw new ApiError('gone', 'The events of this run are no longer kept. Its messages are.')
  }
  const types = run.request.include_return_message_types
  return readRun(runtime, scope, id, { after, numbered: true, pings, types, ofGroup: run.of_group, signal })
}

/** Which run of a thread: its own id, or that of a message of its caller; else the newest that is not over. */
interface RunOfThread {
  runId?: string | null | undefined
  otid?: string | null | undefined
}

/** The id of a run of a thread. 404 for a run of another thread, 400 where none is found. */
export async function findRunOf(scope: Scope, threadId: string, { runId, otid }: RunOfThread): Promise<string> {
  const { organizationId } = scope
  const chosen = runId
    ? sql`id = ${runId}`
    : otid
      ? sql`id in (select run_id from run_otids where run_otids.organization_id = ${organizationId}
          and run_otids.thread_id = ${threadId} and otid = ${otid})`
      : sql`status in ('created', 'running')`
  const [run] = await scope.query<{ id: string }>(sql`
    select id from runs where runs.organization_id = ${organizationId} and thread_id = ${threadId} and ${chosen}
    order by queue_no desc limit 1`)
  if (run) return run.id
  if (runId) throw notFound('run', runId)
  throw new ApiError(
    'bad_request',
    otid ? 'No run has a message with this otid.' : 'No run of this conversation is active.',
  )
}

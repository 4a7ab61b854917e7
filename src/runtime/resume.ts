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
  const [run] = await scope.query<{ background: boolean | null; created_at: string; request: RunRequest }>(sql`
    select background, created_at, request from runs where organization_id = ${scope.organizationId} and id = ${id}`)
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
  return readRun(runtime, scope, id, { after, numbered: true, pings, types, signal })
}

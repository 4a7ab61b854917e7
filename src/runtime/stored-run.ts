import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import { ApiError, notFound } from '../lib/errors.ts'
import { loadAgent } from '../resources/agents/load.ts'
import { fanOutOf, toMessages } from '../resources/messages/fan-out.ts'
import type { SendResponse, StopReason, UsageStatistics } from '../resources/messages/schema.ts'
import type { StoredMessage } from '../resources/messages/table.ts'
import type { NumberedEvent } from './event-log.ts'
import type { RunRequest } from './request.ts'

/** How often a run of another server is looked at. */
const POLL_MS = 500

/** How often, and how many times, the last events of a run that has ended are looked for. */
const LAST_MS = 50
const LAST_ATTEMPTS = 20

/** The last events of runs that have done their work, and of others. */
const ENDS = ['usage_statistics', 'error_message']

interface StoredRun {
  agent_id: string
  status: string
  stop_reason: StopReason | null
  request: RunRequest
  metadata: { error?: { type: string; message: string } } | null
  usage: UsageStatistics | null
}

async function findRun(scope: Scope, id: string): Promise<StoredRun> {
  const [run] = await scope.query<StoredRun>(sql`
    select agent_id, status, stop_reason, request, metadata, usage from runs
    where organization_id = ${scope.organizationId} and id = ${id}`)
  if (!run) throw notFound('run', id)
  return run
}

const isOver = ({ status }: StoredRun) => status !== 'created' && status !== 'running'

/** The tokens of a run's steps. */
async function storedUsage(scope: Scope, id: string): Promise<UsageStatistics> {
  const [usage] = await scope.query<Omit<UsageStatistics, 'message_type'>>(sql`
    select coalesce(sum(prompt_tokens), 0)::int as prompt_tokens, coalesce(sum(completion_tokens), 0)::int as completion_tokens,
      coalesce(sum(total_tokens), 0)::int as total_tokens, count(*)::int as step_count
    from steps where organization_id = ${scope.organizationId} and run_id = ${id}`)
  return { message_type: 'usage_statistics', ...usage! }
}

/** The response of a run that another server, or an earlier request, carries out: waits for its end. Throws its error. */
export async function storedResponse(scope: Scope, id: string): Promise<SendResponse> {
  let run = await findRun(scope, id)
  while (!isOver(run)) {
    await wait(POLL_MS)
    run = await findRun(scope, id)
  }
  const { error } = run.metadata ?? {}
  if (run.status === 'failed')
    throw new ApiError('model_failed', error?.message ?? 'The run failed.', { fields: { error } })
  const rows = await scope.query<StoredMessage>(sql`
    select * from messages where organization_id = ${scope.organizationId} and run_id = ${id}
      and (role in ('assistant', 'tool') or role = 'approval' and tool_calls is not null) order by created_at, id`)
  const { row } = await loadAgent(scope, run.agent_id)
  const wanted = run.request.include_return_message_types
  return {
    messages: rows
      .flatMap((message) => toMessages(message, fanOutOf(row.agent_type, run.request)))
      .filter(({ message_type }) => !wanted || wanted.includes(message_type)),
    stop_reason: { message_type: 'stop_reason', stop_reason: run.stop_reason ?? 'end_turn' },
    usage: run.usage ?? (await storedUsage(scope, id)),
  }
}

/** The stored events of a run after `after`, as they come in. Ends with the run. 404. */
export async function* readStored(
  scope: Scope,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent> {
  let last = after
  let complete = false
  let attemptsLeft = LAST_ATTEMPTS
  while (!signal.aborted) {
    // The run first: events stored before its end are there then.
    const run = await findRun(scope, id)
    const chunks = await scope.query<{ data: NumberedEvent[] }>(sql`
      select data from run_chunks where organization_id = ${scope.organizationId} and run_id = ${id} and last_seq > ${last}
      order by last_seq`)
    for (const item of chunks.flatMap(({ data }) => data)) {
      if (item.seq <= last) continue
      last = item.seq
      complete ||= ENDS.includes(item.event.message_type)
      yield item
    }
    // The last events are stored a moment after the end of the run.
    if (isOver(run) && (complete || attemptsLeft-- === 0)) return
    await wait(isOver(run) ? LAST_MS : POLL_MS)
  }
}

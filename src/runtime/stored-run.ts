import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import { notFound } from '../lib/errors.ts'
import { fanOutOf, toMessages } from '../resources/messages/fan-out.ts'
import type { SendResponse, StreamEvent, UsageStatistics } from '../resources/messages/schema.ts'
import type { StoredMessage } from '../resources/messages/table.ts'
import { errorEvent, stopEvent } from './frames.ts'
import type { RunRequest } from './request.ts'
import type { Runtime } from './runtime.ts'
import { type FailedRun, failureOfRun } from './stored-failure.ts'
import { POLL_MS } from './wake-ups.ts'

interface StoredRun extends FailedRun {
  status: string
  request: RunRequest
  usage: UsageStatistics | null
}

async function findRun(scope: Scope, id: string): Promise<StoredRun> {
  const [run] = await scope.query<StoredRun>(sql`
    select status, stop_reason, request, metadata, failure, usage from runs
    where organization_id = ${scope.organizationId} and id = ${id}`)
  if (!run) throw notFound('run', id)
  return run
}

const isOver = ({ status }: Pick<StoredRun, 'status'>) => status !== 'created' && status !== 'running'

/** The tokens of a run's steps. */
async function storedUsage(scope: Scope, id: string): Promise<UsageStatistics> {
  const [usage] = await scope.query<Omit<UsageStatistics, 'message_type'>>(sql`
    select coalesce(sum(prompt_tokens), 0)::int as prompt_tokens, coalesce(sum(completion_tokens), 0)::int as completion_tokens,
      coalesce(sum(total_tokens), 0)::int as total_tokens, count(*) filter (where phase in ('tools', 'done'))::int as step_count
    from steps where organization_id = ${scope.organizationId} and run_id = ${id}`)
  return { message_type: 'usage_statistics', ...usage! }
}

/** The messages and the end of a run that is over. Throws the error of a run that failed. */
async function responseOf(scope: Scope, id: string, run: StoredRun): Promise<SendResponse> {
  if (run.status === 'failed') throw failureOfRun(run).error
  const { organizationId } = scope
  const rows = await scope.query<StoredMessage & { agent_type: string }>(sql`
    select *, (select agent_type from agents
      where agents.organization_id = ${organizationId} and agents.id = messages.agent_id) as agent_type
    from messages where organization_id = ${organizationId} and (run_id = ${id} or run_id in (
        select turn.id from runs as turn where turn.organization_id = ${organizationId} and turn.parent_run_id = ${id}
          and turn.turn is not null))
      and (role in ('assistant', 'tool') or role = 'approval' and tool_calls is not null
        or role = 'summary' and ${run.request.include_compaction_messages ?? false}) order by created_at, id`)
  const wanted = run.request.include_return_message_types
  return {
    messages: rows
      .flatMap((message) => toMessages(message, fanOutOf(message.agent_type, run.request)))
      .filter(({ message_type }) => !wanted || wanted.includes(message_type)),
    stop_reason: { message_type: 'stop_reason', stop_reason: run.stop_reason ?? 'end_turn' },
    usage: run.usage ?? (await storedUsage(scope, id)),
  }
}

/** The response of a run that another server, or an earlier request, carries out: waits for its end. Throws its error. */
export async function storedResponse(runtime: Runtime, scope: Scope, id: string): Promise<SendResponse> {
  let run = await findRun(scope, id)
  while (!isOver(run)) {
    await runtime.changed(id, POLL_MS)
    run = await findRun(scope, id)
  }
  return responseOf(scope, id, run)
}

/** The events of a run that is over, and whose events aren't stored: its messages are. */
export async function eventsAfterwards(scope: Scope, id: string): Promise<StreamEvent[]> {
  const run = await findRun(scope, id)
  if (run.status === 'failed') {
    const { stopReason, type, message, detail } = failureOfRun(run)
    return [stopEvent(stopReason), errorEvent(id, type, message, detail)]
  }
  const { messages, stop_reason, usage } = await responseOf(scope, id, run)
  return [...messages, stop_reason as StreamEvent, usage]
}

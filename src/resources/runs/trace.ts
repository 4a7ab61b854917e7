import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import { omitNulls } from '../../lib/json.ts'
import type { RetrieveRunTrace, RunSpan } from './schema.ts'

/**
 * The work of a run as spans, in the order of their beginnings: the run itself, the wait for its first token, its steps, and the tools
 * of each step. 404.
 */
export async function runTrace(scope: Scope, id: string, { limit = 1_000 }: RetrieveRunTrace): Promise<RunSpan[]> {
  const { organizationId } = scope
  const rows = await scope.read<RunSpan>(sql`
    with run as (
      select *, case status when 'completed' then 'ok' when 'failed' then 'error' else 'unset' end as outcome from runs
      where organization_id = ${organizationId} and id = ${id}
    ), step as (
      select *, case status when 'success' then 'ok' when 'failed' then 'error' else 'unset' end as outcome,
        (select json_agg(call -> 'function' ->> 'name') from messages, json_array_elements(messages.tool_calls) as call
          where messages.organization_id = ${organizationId} and messages.step_id = steps.id
            and messages.tool_calls is not null) as tools
      from steps where organization_id = ${organizationId} and run_id = ${id}
    )
    select id as span_id, null as parent_span_id, null as trace_id, 'invoke_agent' as name, created_at as start_time,
      total_duration_ns as duration_ns, outcome as status,
      json_build_object('agent_id', agent_id, 'conversation_id', conversation_id, 'stop_reason', stop_reason) as attributes
    from run
    union all
    select id || ':first', id, null, 'time_to_first_token', created_at, ttft_ns, 'ok', json_build_object()
    from run where ttft_ns is not null
    union all
    select id, run_id, trace_id, case phase when 'summary' then 'summarization' else 'agent_step' end, started_at, step_ns, outcome, json_build_object('model', model_handle,
      'prompt_tokens', prompt_tokens, 'completion_tokens', completion_tokens, 'llm_request_ns', llm_request_ns,
      'stop_reason', stop_reason) from step
    union all
    select id || ':tools', id, trace_id, 'execute_tool', started_at + llm_request_ns / 1000 * interval '1 microsecond',
      tool_execution_ns, outcome, json_build_object('tools', tools) from step where tools is not null
    order by start_time, span_id limit ${limit}`)
  if (rows.length === 0) throw notFound('run', id)
  return omitNulls(rows) as RunSpan[]
}

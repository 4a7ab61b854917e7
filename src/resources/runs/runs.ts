import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import { fanOutOf } from '../messages/fan-out.ts'
import { listMessages } from '../messages/list.ts'
import { saidInGroup } from '../messages/said-in-group.ts'
import { runsOf } from '../steps/steps.ts'
import { type ListRunMessages, type ListRuns, type RunMetrics, type RunUsage, runs } from './schema.ts'

/** Runs of the organization, newest first. */
export function listRuns(scope: Scope, query: ListRuns) {
  const {
    agent_id,
    agent_ids,
    statuses,
    background,
    stop_reason,
    conversation_id,
    group_id,
    parent_run_id,
    start_date,
    end_date,
    active,
    ascending,
    ...page
  } = query
  const order = query.order ?? (ascending === undefined ? undefined : ascending ? 'asc' : 'desc')
  const agents = [...(agent_ids ?? []), ...(agent_id ? [agent_id] : [])]
  const conversation = conversation_id === 'default' ? null : conversation_id
  return scope.list(runs, { ...page, order }, (query) =>
    query
      .$if(agents.length > 0, (q) => q.where('runs.agent_id', 'in', agents))
      .$if(statuses !== undefined, (q) => q.where('runs.status', 'in', statuses!))
      .$if(active === true, (q) => q.where('runs.status', 'in', ['created', 'running']))
      .$if(background !== undefined, (q) => q.where('runs.background', '=', background!))
      .$if(stop_reason !== undefined, (q) => q.where('runs.stop_reason', '=', stop_reason!))
      .$if(conversation !== undefined, (q) => q.where('runs.conversation_id', conversation ? '=' : 'is', conversation!))
      .$if(group_id !== undefined, (q) => q.where('runs.group_id', '=', group_id!))
      .$if(parent_run_id !== undefined, (q) => q.where('runs.parent_run_id', '=', parent_run_id!))
      .$if(start_date !== undefined, (q) => q.where('runs.created_at', '>=', start_date!))
      .$if(end_date !== undefined, (q) => q.where('runs.created_at', '<=', end_date!)),
  )
}

/** The messages of a run, oldest first: of a group's run what was said, as the group lists it. 404. */
export async function listRunMessages(scope: Scope, id: string, page: ListRunMessages) {
  const [run] = await scope.read<{ request_config: Record<string, never>; group: string | null }>(sql`
    select request_config, case when agent_id is null then group_id end as group from runs where organization_id = ${scope.organizationId} and id = ${id}`)
  if (!run) throw notFound('run', id)
  const ofRun = sql`run_id in ${runsOf(scope, id)}`
  const condition = run.group === null ? ofRun : sql`${ofRun} and ${saidInGroup(scope, run.group)}`
  return listMessages(scope, condition, { order: 'asc', ...page }, ({ agent_type }) =>
    fanOutOf(agent_type, run.request_config),
  )
}

/** The tokens of a run's steps. 404. */
export async function runUsage(scope: Scope, id: string): Promise<RunUsage> {
  await scope.exists('runs', id)
  const [sums] = await scope.read<
    Record<'completion' | 'prompt' | 'total', number> &
      Record<'cached' | 'written' | 'reasoning' | 'cost', number | null>
  >(sql`
    select coalesce(sum(completion_tokens), 0)::int as completion, coalesce(sum(prompt_tokens), 0)::int as prompt,
      coalesce(sum(total_tokens), 0)::int as total, sum(cached_input_tokens)::int as cached,
      sum(cache_write_tokens)::int as written, sum(reasoning_tokens)::int as reasoning,
      case when bool_and(cost is not null or phase = 'model' and total_tokens = 0) then sum(cost) end as cost
    from steps where organization_id = ${scope.organizationId} and run_id in ${runsOf(scope, id)}`)
  const { completion, prompt, total, cached, written, reasoning, cost } = sums!
  const cache = { cached_tokens: cached ?? 0, cache_read_tokens: cached ?? 0, cache_creation_tokens: written ?? 0 }
  return {
    completion_tokens: completion,
    prompt_tokens: prompt,
    total_tokens: total,
    ...((cached || written) && { prompt_tokens_details: cache }),
    ...(reasoning && { completion_tokens_details: { reasoning_tokens: reasoning } }),
    ...(cost !== null && { cost }),
  }
}

/** The times of a run, its steps and its tools. 404. */
export async function runMetrics(scope: Scope, id: string): Promise<RunMetrics> {
  const { organizationId } = scope
  const [row] = await scope.read<{
    agent_id: string
    project_id: string | null
    started: number
    took: number | null
    num_steps: number
    tools_used: string[]
  }>(sql`
    select coalesce(runs.agent_id, runs.group_id) as agent_id, agents.project_id, (extract(epoch from runs.created_at) * 1e9)::bigint as started,
      total_duration_ns as took,
      (select count(*)::int from steps where organization_id = ${organizationId} and run_id in ${runsOf(scope, id)}
        and phase in ('tools', 'done')) as num_steps,
      array(select distinct tools.id from messages, json_array_elements(messages.tool_calls) as call
        join tools on tools.organization_id = ${organizationId} and tools.name = call -> 'function' ->> 'name'
        where messages.organization_id = ${organizationId} and messages.run_id in ${runsOf(scope, id)}
          and messages.tool_calls is not null order by 1) as tools_used
    from runs left join agents on agents.organization_id = ${organizationId} and agents.id = runs.agent_id
    where runs.organization_id = ${organizationId} and runs.id = ${id}`)
  if (!row) throw notFound('run', id)
  const { agent_id, project_id, started, took, num_steps, tools_used } = row
  return {
    ...{ id, organization_id: organizationId, agent_id, run_start_ns: started, num_steps, tools_used },
    ...(project_id !== null && { project_id }),
    ...(took !== null && { run_ns: took }),
  }
}

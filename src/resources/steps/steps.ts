import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import { omitNullFields } from '../../lib/json.ts'
import { fanOutOf } from '../messages/fan-out.ts'
import { listMessages, type MessagePage } from '../messages/list.ts'
import { type ListSteps, type ProviderTrace, type StepFeedback, type StepMetrics, steps } from './schema.ts'
import type { StepRow } from './table.ts'

/** Steps of the organization, newest first. */
export function listSteps(scope: Scope, query: ListSteps) {
  const { agent_id, model, feedback, has_feedback, trace_ids, tags, project_id, start_date, end_date, ...page } = query
  return scope.list(steps, page, (query) =>
    query
      .$if(agent_id !== undefined, (q) => q.where('steps.agent_id', '=', agent_id!))
      .$if(model !== undefined, (q) => q.where('steps.model', '=', model!))
      .$if(feedback !== undefined, (q) => q.where('steps.feedback', '=', feedback!))
      .$if(has_feedback !== undefined, (q) => q.where('steps.feedback', has_feedback ? 'is not' : 'is', null))
      .$if(trace_ids !== undefined, (q) => q.where('steps.trace_id', 'in', trace_ids!))
      .$if(tags !== undefined, (q) => q.where(sql<boolean>`steps.tags::jsonb ?| ${tags}::text[]`))
      .$if(project_id !== undefined, (q) => q.where('steps.project_id', '=', project_id!))
      .$if(start_date !== undefined, (q) => q.where('steps.created_at', '>=', start_date!))
      .$if(end_date !== undefined, (q) => q.where('steps.created_at', '<=', end_date!)),
  )
}

/** SQL: the ids of a run and, where it is a group's, of the runs of its members. */
export const runsOf = ({ organizationId }: Scope, id: string) => sql`(
  select one.id from runs as one where one.organization_id = ${organizationId} and one.id = ${id}
  union all select one.id from runs as one where one.organization_id = ${organizationId} and one.parent_run_id = ${id})`

/** The steps of a run, newest first. 404 for a run that the organization doesn't have. */
export async function listStepsOf(
  scope: Scope,
  runId: string,
  page: Pick<ListSteps, 'limit' | 'order' | 'after' | 'before'>,
) {
  await scope.exists('runs', runId)
  return scope.list(steps, page, (query) => query.where(sql<boolean>`steps.run_id in ${runsOf(scope, runId)}`))
}

/** Stores what a reader thinks of a step. Null clears it. 404. */
export const rateStep = (scope: Scope, id: string, { feedback, tags }: StepFeedback) =>
  scope.update(steps, id, { feedback, tags: tags === null ? [] : tags })

const nanoseconds = (instant: string) => Date.parse(instant) * 1e6

/** The times of a step. 404. */
export async function stepMetrics(scope: Scope, id: string): Promise<StepMetrics> {
  const [row] = await scope.read<StepRow>(sql`
    select * from steps where organization_id = ${scope.organizationId} and id = ${id}`)
  if (!row) throw notFound('step', id)
  const { organization_id, agent_id, run_id, provider_id, project_id, started_at } = row
  const { llm_request_ns, tool_execution_ns, step_ns } = row
  const metrics = {
    organization_id,
    agent_id,
    run_id,
    provider_id,
    project_id,
    llm_request_ns,
    tool_execution_ns,
    step_ns,
  }
  const known = Object.entries({ ...metrics, step_start_ns: nanoseconds(started_at) }).filter(
    ([, value]) => value !== null,
  )
  return { id, ...Object.fromEntries(known) }
}

/** The request of a step to its provider, and the response; null when they are no longer kept. 404. */
export async function stepTrace(scope: Scope, id: string): Promise<ProviderTrace | null> {
  await scope.exists('steps', id)
  const { organizationId } = scope
  const [trace] = await scope.read<ProviderTrace>(sql`
    select id, step_id, agent_id, run_id, call_type, request_json, response_json, llm_config, created_at,
      created_at as updated_at, created_by_id, created_by_id as last_updated_by_id, created_by_id as user_id,
      organization_id as org_id, coalesce((select tags from agents
        where organization_id = ${organizationId} and agents.id = provider_traces.agent_id), '[]') as agent_tags
    from provider_traces where organization_id = ${organizationId} and step_id = ${id} limit 1`)
  // A summary that a caller asked for has no run, and a call that got no response has no request.
  return trace ? (omitNullFields(trace) as ProviderTrace) : null
}

/** The messages of a step, oldest first. 404. */
export async function listStepMessages(scope: Scope, id: string, page: MessagePage) {
  const { organizationId } = scope
  const [step] = await scope.read<{ agent_type: string | null }>(sql`
    select (select agent_type from agents where organization_id = ${organizationId} and agents.id = steps.agent_id) as agent_type
    from steps where organization_id = ${organizationId} and id = ${id}`)
  if (!step) throw notFound('step', id)
  const options = fanOutOf(step.agent_type ?? '')
  return listMessages(scope, sql`step_id = ${id}`, { order: 'asc', ...page }, () => options)
}

import type { Scope } from '../../db/scope.ts'
import { type ListRuns, runs } from './schema.ts'

/** Runs of the organization, newest first. */
export function listRuns(scope: Scope, query: ListRuns) {
  const { agent_id, agent_ids, statuses, background, stop_reason, conversation_id, active, ascending, ...page } = query
  const order = query.order ?? (ascending === undefined ? undefined : ascending ? 'asc' : 'desc')
  const agents = [...(agent_ids ?? []), ...(agent_id ? [agent_id] : [])]
  const wanted = statuses ?? (active ? (['created', 'running'] as const) : undefined)
  return scope.list(runs, { ...page, order }, (query) =>
    query
      .$if(agents.length > 0, (q) => q.where('runs.agent_id', 'in', agents))
      .$if(wanted !== undefined, (q) => q.where('runs.status', 'in', [...wanted!]))
      .$if(background !== undefined, (q) => q.where('runs.background', '=', background!))
      .$if(stop_reason !== undefined, (q) => q.where('runs.stop_reason', '=', stop_reason!))
      .$if(conversation_id !== undefined, (q) => q.where('runs.conversation_id', '=', conversation_id!)),
  )
}

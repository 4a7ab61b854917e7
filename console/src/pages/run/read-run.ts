import {
  listStepsForRun,
  retrieveAgent,
  retrieveRun,
  retrieveRunUsage,
  retrieveTraceForRun,
} from '../../api/generated.ts'

const MANY = 200

/** A run with its usage, its steps and spans, and the name of its agent. */
export async function readRun(runId: string) {
  const [run, usage, steps, spans] = await Promise.all([
    retrieveRun(runId),
    retrieveRunUsage(runId),
    listStepsForRun(runId, { limit: MANY, order: 'asc' }),
    retrieveTraceForRun(runId),
  ])
  // The agent may have been deleted, or be a group.
  const agent = await retrieveAgent(run.agent_id).catch(() => undefined)
  const active = run.status === 'created' || run.status === 'running'
  return { run, usage, steps, spans, agentName: agent?.name, active }
}

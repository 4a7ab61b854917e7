import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { ApiError } from '../../lib/errors.ts'
import type { StopReason, UsageStatistics } from '../../resources/messages/schema.ts'
import { isBudgetError } from '../budgets.ts'
import { stopEvent } from '../frames.ts'
import { CancelledError } from '../interruptions.ts'
import type { RunOutcome } from '../run-outcome.ts'
import { store } from '../store-step.ts'
import type { Start } from '../turn.ts'
import { beginTurn } from './begin-turn.ts'
import { type GroupState, loadGroupState, rowsOfTurn, type SpokenTurn } from './group-state.ts'
import { nextTurn, type Said } from './next-turn.ts'
import { saidIn } from './said.ts'

/** The tokens of all runs below a group's run, which the usage names. */
async function usageOf(scope: Scope, id: string): Promise<UsageStatistics> {
  const { organizationId } = scope
  const [sums] = await scope.query<Omit<UsageStatistics, 'message_type'>>(sql`
    with below as (
      select id from runs where organization_id = ${organizationId} and parent_run_id = ${id})
    select coalesce(sum(completion_tokens), 0)::int as completion_tokens,
      coalesce(sum(prompt_tokens), 0)::int as prompt_tokens, coalesce(sum(total_tokens), 0)::int as total_tokens,
      count(*) filter (where phase in ('tools', 'done'))::int as step_count, to_json(array(select id from below order by id)) as run_ids
    from steps where organization_id = ${organizationId} and run_id in (select id from below)`)
  return { message_type: 'usage_statistics', ...sums! }
}

async function finish(start: Start, stopReason: StopReason): Promise<RunOutcome> {
  const { scope, run, startedAt } = start
  const usage = await usageOf(scope, run.id)
  const end = { status: 'completed' as const, stopReason, startedAt, usage }
  await store(start, { end, events: [stopEvent(stopReason), usage] })
  return { stopReason, usage }
}

const isActive = ({ status }: SpokenTurn) => status === 'created' || status === 'running'

/** Throws where a turn has failed or was cancelled: the group's run ends with it. */
function checkTurn({ agent_id, status, error }: SpokenTurn, { members, manager }: GroupState): void {
  if (status === 'cancelled') throw new CancelledError()
  if (status !== 'failed') return
  const name = [...members, manager].find((one) => one?.id === agent_id)?.name ?? agent_id
  throw new ApiError('model_failed', `The turn of "${name}" failed: ${error?.message ?? 'an error of the server.'}`, {
    fields: { error },
  })
}

/**
 * Carries out a run of a group: has its agents speak, one behind the other, until the group's manager ends the run. The database
 * holds all of its state: another server carries it on. Throws the error of a member, a CancelledError, a LostRunError.
 */
export async function runGroup(start: Start): Promise<RunOutcome> {
  const { scope, run, request, signal } = start
  let watched: string | undefined
  for (;;) {
    // Registered before the state is read, so that no change is missed.
    const changed = watched === undefined ? undefined : start.changed(watched)
    const state = await loadGroupState(scope, run)
    signal.throwIfAborted()
    const last = state.turns.at(-1)
    if (last && isActive(last)) {
      await changed
      watched = last.id
      continue
    }
    watched = undefined
    if (last) checkTurn(last, state)
    const said: Said = last ? saidIn(await rowsOfTurn(scope, last.id), last.agent_type) : { texts: [] }
    const next = nextTurn(state, said, request.max_total_tokens ?? undefined)
    if ('end' in next) return finish(start, next.end)
    try {
      await beginTurn(start, state, next)
    } catch (error) {
      if (last && isBudgetError(error)) return finish(start, 'insufficient_credits')
      throw error
    }
  }
}

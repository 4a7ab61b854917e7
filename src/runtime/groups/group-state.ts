import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import type { Group } from '../../resources/groups/schema.ts'
import type { StopReason } from '../../resources/messages/schema.ts'
import type { StoredMessage } from '../../resources/messages/table.ts'
import type { RunStatus } from '../../resources/runs/table.ts'
import type { OwnedRun } from '../commit.ts'
import type { GroupTool } from '../request.ts'

export interface Member {
  id: string
  name: string
}

/** A turn of an agent in a run of its group. */
export interface SpokenTurn {
  id: string
  agent_id: string
  agent_type: string
  turn: number
  status: RunStatus
  stop_reason: StopReason | null
  error: { type: string; message: string } | null
  tool: GroupTool | null
}

/** A run of a group, as it stands in the database: any server can carry it on. */
export interface GroupState {
  group: Pick<Group, 'id' | 'manager_type' | 'max_turns' | 'termination_token'>
  manager: Member | undefined
  members: Member[]
  turns: SpokenTurn[]
  /** The agent that spoke last in the run before this one. */
  before: string | null
  /** The tokens of all members. */
  tokens: number
}

interface StateRow extends Omit<GroupState, 'group' | 'manager'> {
  manager: Member | null
  manager_type: Group['manager_type']
  max_turns: number | null
  termination_token: string | null
}

/** Loads the state of a group's run. 404 for a group that is gone. */
export async function loadGroupState(scope: Scope, { id, threadId }: OwnedRun): Promise<GroupState> {
  const { organizationId } = scope
  const agent = sql`json_build_object('id', agents.id, 'name', agents.name)`
  const [row] = await scope.query<StateRow>(sql`
    select manager_type, max_turns, termination_token,
      (select ${agent} from agents where agents.organization_id = ${organizationId}
        and agents.id = groups.manager_agent_id) as manager,
      to_json(array(select ${agent} from groups_agents as link
        join agents on agents.organization_id = ${organizationId} and agents.id = link.agent_id
        where link.organization_id = ${organizationId} and link.group_id = groups.id order by link.position)) as members,
      to_json(array(select json_build_object('id', runs.id, 'agent_id', runs.agent_id, 'turn', turn, 'status', status,
          'agent_type', (select agent_type from agents
            where agents.organization_id = ${organizationId} and agents.id = runs.agent_id),
          'stop_reason', stop_reason, 'error', metadata -> 'error', 'tool', request -> 'group' -> 'tool') from runs
        where runs.organization_id = ${organizationId} and parent_run_id = ${id} and turn is not null
        order by turn)) as turns,
      (select agent_id from runs where runs.organization_id = ${organizationId} and runs.group_id = groups.id
        and turn is not null and parent_run_id <> ${id} order by created_at desc, id desc limit 1) as before,
      (select coalesce(sum(total_tokens), 0)::int from steps where steps.organization_id = ${organizationId}
        and run_id in (select below.id from runs as below
          where below.organization_id = ${organizationId} and below.parent_run_id = ${id})) as tokens
    from groups where organization_id = ${organizationId} and id = ${threadId}`)
  if (!row) throw notFound('group', threadId)
  const { manager_type, max_turns, termination_token, manager, ...state } = row
  const group = {
    ...{ id: threadId, manager_type },
    ...(max_turns !== null && { max_turns }),
    ...(termination_token !== null && { termination_token }),
  }
  return { ...state, group, manager: manager ?? undefined }
}

/** The messages that a turn has added, oldest first, without those it began with. */
export const rowsOfTurn = (scope: Scope, runId: string): Promise<StoredMessage[]> =>
  scope.query<StoredMessage>(sql`
    select * from messages where organization_id = ${scope.organizationId} and run_id = ${runId}
      and role in ('assistant', 'tool') order by created_at, id`)

import { inBody, invalid } from '../../lib/errors.ts'
import { newGroup } from '../groups/groups.ts'
import type { CreateGroup } from '../groups/schema.ts'
import type { GroupEntry, Placed } from './entry-schema.ts'
import type { PlanContext, PlannedAgent, PlannedGroup } from './plan-context.ts'

/** The group of an entry, whose members are among `agents`. */
export function planGroup(
  { at, id, agent_ids, shared_block_ids, manager_config, ...body }: Placed<GroupEntry>,
  agents: readonly PlannedAgent[],
  { ids, issues }: PlanContext,
): PlannedGroup | undefined {
  return issues.at(at, () => {
    const managerId = manager_config?.manager_agent_id
    const manager = manager_config && {
      ...manager_config,
      ...(managerId && { manager_agent_id: ids.agents.get(managerId)! }),
    }
    const members = [...new Set(agent_ids)].map((member) => ids.agents.get(member)!)
    if (manager?.manager_type === 'dynamic') {
      const isMember = new Set(members)
      checkNames(agents.filter(({ row }) => isMember.has(row.id)))
    }
    return {
      row: {
        ...newGroup({ ...body, manager_config: manager } as Omit<CreateGroup, 'agent_ids'>),
        id: ids.groups.get(id)!,
      },
      agent_ids: members,
      shared_block_ids: [...new Set(shared_block_ids)].map((block) => ids.blocks.get(block)!),
    }
  })
}

/** 422 for two members of one name. */
function checkNames(members: readonly PlannedAgent[]): void {
  if (new Set(members.map(({ row }) => row.name)).size < members.length) {
    throw invalid(inBody('agent_ids', "has agents of the same name: a dynamic manager can't tell them apart"))
  }
}

import { sql } from 'kysely'
import type { Rendered } from '../../db/render/rendered.ts'
import type { Scope } from '../../db/scope.ts'
import type { Filter } from '../../db/select.ts'
import { inBody, invalid, type ValidationIssue } from '../../lib/errors.ts'
import { groupAgents, groupBlocks } from './links.ts'
import type { Manager } from './manager.ts'
import { type CreateGroup, type Group, type GroupFilters, groups, type ListGroups, type UpdateGroup } from './schema.ts'

const DEFAULT_MANAGER: Manager = { manager_type: 'round_robin' }

/** The default text with which a dynamic manager's agent ends the conversation. */
const TERMINATION_TOKEN = 'DONE!'

/** Which groups: one filter for lists and counts. */
export const matchingGroups =
  ({ manager_type, project_id, show_hidden_groups }: GroupFilters): Filter<'groups'> =>
  (query) =>
    query
      .$if(manager_type !== undefined, (q) => q.where('groups.manager_type', '=', manager_type!))
      .$if(project_id !== undefined, (q) => q.where('groups.project_id', '=', project_id!))
      .$if(!show_hidden_groups, (q) => q.where('groups.hidden', 'is not', true))

/** Groups of the organization, oldest first; hidden ones only on request. */
export const listGroups = (scope: Scope, query: ListGroups) => scope.list(groups, query, matchingGroups(query))

/** The number of groups that the filters keep. */
export const countGroups = (scope: Scope, filters: GroupFilters) => scope.count(groups, matchingGroups(filters))

/** 422 unless a message buffer has both its bounds or neither, in their order. */
function checkBuffer({ max_message_buffer_length: max, min_message_buffer_length: min }: Partial<Manager>): void {
  const issue = (bound: 'min' | 'max', message: string): ValidationIssue =>
    inBody(`manager_config.${bound}_message_buffer_length`, message)
  const missing = (value: number | null | undefined) => value === undefined || value === null
  if (missing(max) && missing(min)) return
  if (missing(max)) throw invalid(issue('max', 'is required beside min_message_buffer_length'))
  if (missing(min)) throw invalid(issue('min', 'is required beside max_message_buffer_length'))
  if (max! <= min!) throw invalid(issue('max', `must be greater than min_message_buffer_length, which is ${min}`))
}

/** The columns that a manager's configuration sets on a new group, or on `current`. 422 when they contradict. */
function columnsOf(manager: Manager, current?: Group) {
  checkBuffer({ ...current, ...manager } as Manager)
  const frequency = manager.sleeptime_agent_frequency
  // The turns are counted anew whenever the frequency changes, and not at all without one.
  const recount = frequency !== undefined && frequency !== current?.sleeptime_agent_frequency
  return { ...manager, ...(recount && { turns_counter: frequency === null ? null : -1 }) }
}

/** 422 when two of these agents bear one name: a dynamic manager chooses its next speaker by name. */
async function checkNames(scope: Scope, agentIds: readonly string[]): Promise<void> {
  const shared = await scope.query<{ name: string }>(sql`
    select name from agents where organization_id = ${scope.organizationId} and id = any(${agentIds}::text[])
    group by name having count(*) > 1 order by name`)
  if (shared.length === 0) return
  const message = (name: string) => `has several agents named "${name}": a dynamic manager can't tell them apart`
  throw invalid(...shared.map(({ name }) => inBody('agent_ids', message(name))))
}

/** The columns of a new group. 422 when the fields of its manager contradict. */
export function newGroup({ manager_config, ...columns }: Omit<CreateGroup, 'agent_ids' | 'shared_block_ids'>) {
  const manager = columnsOf(manager_config ?? DEFAULT_MANAGER)
  if (manager.manager_type === 'dynamic') manager.termination_token ??= TERMINATION_TOKEN
  return { ...columns, ...manager }
}

/** Makes a group with its members and shared blocks. 404 for an agent or block the organization doesn't have. */
export async function createGroup(
  scope: Scope,
  { agent_ids, shared_block_ids, ...body }: CreateGroup,
): Promise<Rendered<Group>> {
  const row = newGroup(body)
  return scope.transaction(async (inner) => {
    if (row.manager_type === 'dynamic') await checkNames(inner, agent_ids)
    const { id } = await inner.insert(groups, row, [
      [groupAgents, agent_ids],
      [groupBlocks, shared_block_ids ?? []],
    ])
    return inner.retrieve(groups, id)
  })
}

/** Changes the fields that the body names. 422 for another type of manager: a group keeps the one it was made with. */
export function updateGroup(
  scope: Scope,
  id: string,
  { agent_ids, shared_block_ids, manager_config, ...columns }: UpdateGroup,
) {
  return scope.locking(groups, id, async (inner) => {
    const current = await inner.get(groups, id)
    if (manager_config && manager_config.manager_type !== current.manager_type) {
      throw invalid(inBody('manager_config.manager_type', `must stay ${current.manager_type}: it can't be changed`))
    }
    const manager = manager_config && columnsOf(manager_config, current)
    if (agent_ids && current.manager_type === 'dynamic') await checkNames(inner, agent_ids)
    const links = [
      ...(agent_ids ? await inner.setLinks(groupAgents, id, agent_ids) : []),
      ...(shared_block_ids === undefined ? [] : await inner.setLinks(groupBlocks, id, shared_block_ids ?? [])),
    ]
    await inner.update(groups, id, { ...columns, ...manager }, links)
    return inner.retrieve(groups, id)
  })
}

/** Shares a block with the group's members; one shared already stays. 404 when either isn't there, 412. */
export const attachBlock = (scope: Scope, groupId: string, blockId: string): Promise<void> =>
  scope.locking(groups, groupId, async (tx) => {
    await tx.attach(groupBlocks, groupId, blockId)
  })

/** Shares a block no longer; one that isn't shared is none the less. 404 when either isn't there, 412. */
export const detachBlock = (scope: Scope, groupId: string, blockId: string): Promise<void> =>
  scope.locking(groups, groupId, async (tx) => {
    if (!(await tx.detach(groupBlocks, groupId, blockId))) await tx.exists('blocks', blockId)
  })

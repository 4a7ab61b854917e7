import { type Static, Type } from 'typebox'
import { attachedIds, defineResource } from '../../db/resource.ts'
import { Create, Id, Int, List, Name, OneOf, Page, Params, Patch, Query, Shape, Text } from '../../lib/wire.ts'
import { CreateManager, MANAGER_TYPES, UpdateManager } from './manager.ts'

const { Optional } = Type

export const Group = Shape('Group', {
  id: Id('group'),
  agent_ids: Type.Array(Type.String()),
  description: Type.String(),
  manager_type: OneOf(MANAGER_TYPES),
  base_template_id: Optional(Type.String()),
  deployment_id: Optional(Type.String()),
  hidden: Optional(Type.Boolean()),
  last_processed_message_id: Optional(Type.String()),
  manager_agent_id: Optional(Type.String()),
  max_message_buffer_length: Optional(Int()),
  max_turns: Optional(Int()),
  min_message_buffer_length: Optional(Int()),
  project_id: Optional(Type.String()),
  shared_block_ids: Optional(Type.Array(Type.String(), { description: 'Deprecated.' })),
  sleeptime_agent_frequency: Optional(Int()),
  template_id: Optional(Type.String()),
  termination_token: Optional(Type.String()),
  turns_counter: Optional(Type.Integer()),
})
export type Group = Static<typeof Group>

export const groups = defineResource<Group>()(Group, {
  table: 'groups',
  prefix: 'group',
  order: 'asc',
  computed: {
    agent_ids: attachedIds('groups', 'groups_agents', 'group_id', 'agent_id'),
    shared_block_ids: attachedIds('groups', 'groups_blocks', 'group_id', 'block_id'),
  },
})

const fields = {
  agent_ids: List(Id('agent'), {
    uniqueItems: true,
    description: 'The members, in the order they take turns where the manager keeps one.',
  }),
  description: Text(),
  shared_block_ids: List(Id('block'), { description: 'Deprecated.' }),
  hidden: Type.Boolean(),
  project_id: Name(),
  template_id: Name(),
  base_template_id: Name(),
  deployment_id: Name(),
}

export const CreateGroup = Create({ ...fields, manager_config: CreateManager }, ['agent_ids', 'description'])
export type CreateGroup = Static<typeof CreateGroup>

export const UpdateGroup = Patch({ ...fields, manager_config: UpdateManager }, [
  'agent_ids',
  'description',
  'manager_config',
])
export type UpdateGroup = Static<typeof UpdateGroup>

/** Which groups: the filters lists and counts share. */
const filters = {
  manager_type: Optional(OneOf(MANAGER_TYPES)),
  project_id: Optional(Type.String()),
  show_hidden_groups: Optional(Type.Boolean({ description: 'Hidden groups too.' })),
}

export const CountGroups = Query(filters)
export type GroupFilters = Static<typeof CountGroups>

export const ListGroups = Query({ ...Page('group'), ...filters })
export type ListGroups = Static<typeof ListGroups>

export const GroupParams = Params({ group_id: Id('group') })
export const GroupBlockParams = Params({ group_id: Id('group'), block_id: Id('block') })

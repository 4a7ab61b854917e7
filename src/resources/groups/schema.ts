import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import { Id, Int, OneOf } from '../../lib/wire.ts'

const { Optional } = Type

export const MANAGER_TYPES = ['round_robin', 'supervisor', 'dynamic', 'sleeptime', 'voice_sleeptime', 'swarm'] as const

export const Group = Type.Object(
  {
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
  },
  { $id: 'Group', additionalProperties: false },
)
export type Group = Static<typeof Group>

const attached = (table: string, column: string) => sql`(
  select coalesce(jsonb_agg(link.${sql.ref(column)} order by link.position), '[]') from ${sql.table(table)} as link
  where link.organization_id = groups.organization_id and link.group_id = groups.id)`

export const groups = defineResource<Group>()(Group, {
  table: 'groups',
  prefix: 'group',
  order: 'asc',
  computed: {
    agent_ids: attached('groups_agents', 'agent_id'),
    shared_block_ids: attached('groups_blocks', 'block_id'),
  },
})

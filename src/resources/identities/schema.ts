import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import { Id, JsonMap, OneOf } from '../../lib/wire.ts'

const { Optional } = Type

export const IDENTITY_TYPES = ['org', 'user', 'other'] as const

export const IdentityProperty = Type.Object(
  {
    key: Type.String(),
    type: OneOf(['string', 'number', 'boolean', 'json']),
    value: Type.Union([Type.String(), Type.Number(), Type.Boolean(), JsonMap()]),
  },
  { additionalProperties: false },
)

export const Identity = Type.Object(
  {
    id: Id('identity'),
    agent_ids: Type.Array(Type.String(), { description: 'Deprecated.' }),
    block_ids: Type.Array(Type.String(), { description: 'Deprecated.' }),
    identifier_key: Type.String({ description: 'External identifier key.' }),
    identity_type: OneOf(IDENTITY_TYPES),
    name: Type.String(),
    project_id: Optional(Type.String()),
    properties: Optional(Type.Array(IdentityProperty)),
  },
  { $id: 'Identity', additionalProperties: false },
)
export type Identity = Static<typeof Identity>

const attached = (table: string, column: string) => sql`(
  select coalesce(jsonb_agg(link.${sql.ref(column)} order by link.position), '[]') from ${sql.table(table)} as link
  where link.organization_id = identities.organization_id and link.identity_id = identities.id)`

export const identities = defineResource<Identity>()(Identity, {
  table: 'identities',
  prefix: 'identity',
  order: 'desc',
  computed: {
    agent_ids: attached('agents_identities', 'agent_id'),
    block_ids: attached('blocks_identities', 'block_id'),
  },
})

import { type Static, type TSchema, Type } from 'typebox'
import { attachedIds, defineResource } from '../../db/resource.ts'
import {
  Closed,
  Create,
  Id,
  JsonMap,
  List,
  Name,
  OneOf,
  Page,
  Params,
  Patch,
  Query,
  Shape,
  Text,
} from '../../lib/wire.ts'

const { Optional } = Type

export const IDENTITY_TYPES = ['org', 'user', 'other'] as const

export const IdentityProperty = Closed({
  key: Text(),
  type: OneOf(['string', 'number', 'boolean', 'json']),
  value: Type.Union([Text(), Type.Number(), Type.Boolean(), JsonMap()]),
})

export const Identity = Shape('Identity', {
  id: Id('identity'),
  agent_ids: Type.Array(Type.String(), { description: 'Deprecated.' }),
  block_ids: Type.Array(Type.String(), { description: 'Deprecated.' }),
  identifier_key: Type.String({ description: 'External identifier key.' }),
  identity_type: OneOf(IDENTITY_TYPES),
  name: Type.String(),
  project_id: Optional(Type.String()),
  properties: Optional(Type.Array(IdentityProperty)),
})
export type Identity = Static<typeof Identity>

export const identities = defineResource<Identity>()(Identity, {
  table: 'identities',
  prefix: 'identity',
  order: 'desc',
  json: ['properties'],
  conflicts: {
    identities_identifier_key_key: 'An identity with this identifier_key already exists in this project.',
  },
  computed: {
    agent_ids: attachedIds('identities', 'agents_identities', 'identity_id', 'agent_id'),
    block_ids: attachedIds('identities', 'blocks_identities', 'identity_id', 'block_id'),
  },
})

/** A property with a value of its type. */
const propertyOf = (type: Static<typeof IdentityProperty>['type'], value: TSchema) =>
  Type.Object(
    { key: IdentityProperty.properties.key, type: Type.Literal(type), value },
    { additionalProperties: false },
  )

/** Properties in requests. Those in responses may be older than the check of their values. */
export const IdentityProperties = Type.Unsafe<Static<typeof IdentityProperty>[]>(
  List(
    Type.Union([
      propertyOf('string', Text()),
      propertyOf('number', Type.Number()),
      propertyOf('boolean', Type.Boolean()),
      propertyOf('json', JsonMap()),
    ]),
  ),
)
export type IdentityProperties = Static<typeof IdentityProperties>

const fields = {
  identifier_key: Name({ description: 'External identifier key.' }),
  name: Name(),
  identity_type: OneOf(IDENTITY_TYPES),
  project_id: Name(),
  properties: IdentityProperties,
  agent_ids: List(Id('agent')),
  block_ids: List(Id('block')),
}

export const CreateIdentity = Create(fields, ['identifier_key', 'name', 'identity_type'])
export type CreateIdentity = Static<typeof CreateIdentity>

export const UpdateIdentity = Patch(fields, ['identifier_key', 'name', 'identity_type', 'agent_ids', 'block_ids'])
export type UpdateIdentity = Static<typeof UpdateIdentity>

/** Which identities: the filters lists and counts share. */
const filters = {
  name: Optional(Name({ description: 'Part of the name, in any case.' })),
  identifier_key: Optional(Type.String({ description: 'Exactly this key.' })),
  identity_type: Optional(OneOf(IDENTITY_TYPES)),
  project_id: Optional(Type.String()),
}

export const CountIdentities = Query(filters)
export type IdentityFilters = Static<typeof CountIdentities>

export const ListIdentities = Query({ ...Page('identity'), ...filters })
export type ListIdentities = Static<typeof ListIdentities>

export const ListBlocksOfIdentity = Query(Page('block'))
export type ListBlocksOfIdentity = Static<typeof ListBlocksOfIdentity>

export const IdentityParams = Params({ identity_id: Id('identity') })

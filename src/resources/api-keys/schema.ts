import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import { Create, Id, Instant, OneOf, Page, Params, Query, Shape } from '../../lib/wire.ts'

const { Optional } = Type

export const RIGHTS = ['read', 'write', 'secrets', 'admin'] as const

/** The rights of a client-side access token to an agent. */
export const ACCESS = ['read_messages', 'write_messages', 'read_agent', 'write_agent'] as const
export type Access = (typeof ACCESS)[number]

export const ApiKey = Shape('ApiKey', {
  id: Id('api_key'),
  name: Type.String(),
  user_id: Id('user'),
  scopes: Type.Array(OneOf(RIGHTS)),
  created_at: Instant(),
  updated_at: Optional(Instant()),
  created_by_id: Optional(Type.String()),
  last_updated_by_id: Optional(Type.String()),
  expires_at: Optional(Instant()),
  revoked_at: Optional(Instant()),
  last_used_at: Optional(Instant({ description: 'To the minute.' })),
})
export type ApiKey = Static<typeof ApiKey>

/** The one response that shows the key itself. */
export const NewApiKey = Shape('NewApiKey', {
  ...ApiKey.properties,
  key: Type.String({ description: 'The key itself, shown this once.' }),
})
export type NewApiKey = Static<typeof NewApiKey>

export const apiKeys = defineResource<ApiKey>()(ApiKey, {
  table: 'api_keys',
  prefix: 'api_key',
  order: 'desc',
  unlogged: ['key_hash'],
})

export const CreateApiKey = Create(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    user_id: Id('user'),
    scopes: Type.Array(OneOf(RIGHTS), { minItems: 1, uniqueItems: true }),
    expires_at: Instant(),
  },
  ['name', 'scopes'],
)
export type CreateApiKey = Static<typeof CreateApiKey>

export const ListApiKeys = Query(Page('api_key'))

export const ApiKeyParams = Params({ key_id: Id('api_key') })

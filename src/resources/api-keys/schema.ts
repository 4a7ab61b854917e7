import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import { AREAS, SCOPE_PATTERN, VERBS } from '../../lib/permissions.ts'
import { Create, Id, Instant, Page, Params, Query, Shape } from '../../lib/wire.ts'

const { Optional } = Type

/** The rights of a client-side access token to an agent. */
export const ACCESS = ['read_messages', 'write_messages', 'read_agent', 'write_agent'] as const
export type Access = (typeof ACCESS)[number]

/** A scope of a key. */
const KeyScope = Type.String({
  pattern: SCOPE_PATTERN,
  title: 'read, write, secrets, admin, <area>:<verb> or agents:<agent id>:<verb>',
  description: `An area is one of ${AREAS.join(', ')}; a verb is one of ${VERBS.join(', ')}.`,
})

export const ApiKey = Shape('ApiKey', {
  id: Id('api_key'),
  name: Type.String(),
  user_id: Id('user'),
  scopes: Type.Array(Type.String()),
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
    scopes: Type.Array(KeyScope, { minItems: 1, maxItems: 1_000, uniqueItems: true }),
    expires_at: Instant(),
  },
  ['name', 'scopes'],
)
export type CreateApiKey = Static<typeof CreateApiKey>

export const ListApiKeys = Query(Page('api_key'))

export const ApiKeyParams = Params({ key_id: Id('api_key') })

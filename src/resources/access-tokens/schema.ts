import { type Static, Type } from 'typebox'
import { defineResource, ORGANIZATION } from '../../db/resource.ts'
import {
  Closed,
  Create,
  Id,
  Instant,
  Int,
  List,
  Offset,
  OneOf,
  Params,
  Query,
  Ref,
  Shape,
  Strict,
} from '../../lib/wire.ts'
import { ACCESS } from '../api-keys/schema.ts'

const { Optional } = Type

const Grant = Strict({
  type: Type.Literal('agent'),
  id: Id('agent'),
  access: List(OneOf(ACCESS), { minItems: 1 }),
})
export type Grant = Static<typeof Grant>

export const AccessToken = Shape('ClientSideAccessToken', {
  token: Type.String({ description: 'The token itself when it is made, shown this once; its id in lists.' }),
  hostname: Type.String(),
  expiresAt: Instant(),
  policy: Closed({ version: Type.Literal('1'), data: Type.Array(Grant) }),
})
export type AccessToken = Static<typeof AccessToken>

/** A token as the database stores it: with a hash in place of the token itself. */
export interface StoredToken {
  id: string
  hostname: string
  expires_at: string
  grants: Grant[]
}

export const accessTokens = defineResource<StoredToken>()(
  Type.Object({ id: Id('access_token'), hostname: Type.String(), expires_at: Instant(), grants: Type.Array(Grant) }),
  {
    table: 'access_tokens',
    prefix: 'access_token',
    order: 'desc',
    unlogged: ['token_hash'],
    computed: {
      grants: `(
        select coalesce(jsonb_agg(jsonb_build_object('type', 'agent', 'id', grants.agent_id, 'access', grants.access)
          order by grants.position), '[]')
        from access_tokens_agents as grants
        where grants.organization_id = ${ORGANIZATION} and grants.access_token_id = access_tokens.id)`,
    },
  },
)

export const CreateAccessToken = Create(
  {
    policy: Type.Array(Grant, { minItems: 1, maxItems: 1000 }),
    hostname: Type.String({
      pattern: '^https?://',
      title: 'a URL that begins with http:// or https://',
      maxLength: 2000,
      description: 'Where the page that uses the token is served from. Scheme, host and port count.',
    }),
    expires_at: Instant({ description: 'Default: in five minutes.' }),
  },
  ['policy', 'hostname'],
)
export type CreateAccessToken = Static<typeof CreateAccessToken>

export const ListAccessTokens = Query({
  offset: Offset.offset,
  limit: Optional(Int({ minimum: 1, maximum: 200, description: 'How many at most: 1 to 200. Default 10.' })),
  agentId: Optional({ ...Id('agent'), description: 'Tokens that reach this agent.' }),
})
export type ListAccessTokens = Static<typeof ListAccessTokens>

export const AccessTokenList = Closed({ tokens: Type.Array(Ref(AccessToken)), hasNextPage: Type.Boolean() })

export const AccessTokenParams = Params({
  token: Type.String({ maxLength: 200, description: 'The token itself, or its id as lists show it.' }),
})

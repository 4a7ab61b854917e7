import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { listFrom } from '../../db/offset.ts'
import type { Scope } from '../../db/scope.ts'
import { ApiError, inBody, invalid, notFound } from '../../lib/errors.ts'
import { hashKey, VERB_OF } from '../api-keys/authenticate.ts'
import {
  type AccessToken,
  accessTokens,
  type CreateAccessToken,
  type Grant,
  type ListAccessTokens,
  type StoredToken,
} from './schema.ts'

const LIFETIME_MS = 5 * 60_000

/** A fresh token: 256 random bits. */
const newToken = () => `cairn_client_${randomBytes(32).toString('base64url')}`

const toWire = ({ hostname, expires_at, grants }: StoredToken, token: string): AccessToken => ({
  token,
  hostname,
  expiresAt: expires_at,
  policy: { version: '1', data: grants },
})

/** The `Origin` header of requests from a page at this URL. 422 for a URL that no page can have. */
function originOf(hostname: string): string {
  const url = URL.parse(hostname)
  if (!url || url.username || url.password) {
    throw invalid(inBody('hostname', 'must be a URL such as https://app.example.com, without a user name'))
  }
  return url.origin
}

/** The policy with each agent once. */
function merged(policy: readonly Grant[]): Grant[] {
  const byAgent = Map.groupBy(policy, ({ id }) => id)
  return [...byAgent].map(([id, grants]) => ({
    type: 'agent',
    id,
    access: [...new Set(grants.flatMap(({ access }) => access))],
  }))
}

/** 403 unless the caller's own key has the rights of the token. */
function checkReach(scope: Scope, grants: readonly Grant[]): void {
  for (const access of new Set(grants.flatMap((grant) => grant.access))) {
    const needed = `agents:${VERB_OF[access]}`
    if (!scope.can(needed)) throw new ApiError('forbidden', `This key lacks the scope "${needed}".`)
  }
}

/** The number of expired tokens that each new token deletes: enough that they never accumulate. */
const MAX_PURGED = 100

/**
 * Makes a token for a page of `hostname` that reaches the agents of its policy, and nothing else, until it expires or
 * the key that made it does. Only this response holds the token itself. 404 for an unknown agent, 403 for a
 * right the caller lacks.
 */
export async function createAccessToken(scope: Scope, body: CreateAccessToken): Promise<AccessToken> {
  const { hostname } = body
  const origin = originOf(hostname)
  const expires_at = body.expires_at ?? new Date(Date.now() + LIFETIME_MS).toISOString()
  if (Date.parse(expires_at) <= Date.now()) throw invalid(inBody('expires_at', 'must lie in the future'))
  const grants = merged(body.policy)
  checkReach(scope, grants)
  const token = newToken()
  const agentIds = grants.map(({ id }) => id)
  const made = await scope.transaction(async (tx) => {
    // An expired token grants nothing, so its deletion is no event of the history.
    await tx.query(sql`delete from access_tokens where organization_id = ${tx.organizationId} and id in (
      select id from access_tokens where organization_id = ${tx.organizationId} and expires_at <= now()
      order by expires_at limit ${MAX_PURGED} for update skip locked)`)
    const { id } = await tx.insert(
      accessTokens,
      { api_key_id: tx.keyId!, token_hash: hashKey(token), hostname, origin, expires_at },
      [[{ table: 'access_tokens_agents' }, agentIds]],
    )
    await tx.query(sql`
      insert into access_tokens_agents (organization_id, access_token_id, agent_id, access, position)
      select ${tx.organizationId}, ${id}, given ->> 'id', given -> 'access', n
      from jsonb_array_elements(${JSON.stringify(grants)}::jsonb) with ordinality as list (given, n) order by n
      returning agent_id`)
    return tx.get(accessTokens, id)
  })
  return toWire(made, token)
}

/** The tokens that haven't expired, newest first, each with its id in place of itself. */
export async function listAccessTokens(scope: Scope, { limit = 10, offset, agentId }: ListAccessTokens) {
  const { rows, more } = await listFrom(scope, accessTokens, { limit, offset }, (query) =>
    query.where(sql<boolean>`access_tokens.expires_at > now()`).$if(agentId !== undefined, (q) =>
      q.where(sql<boolean>`exists (select from access_tokens_agents as link
          where link.organization_id = ${scope.organizationId} and link.access_token_id = access_tokens.id
            and link.agent_id = ${agentId})`),
    ),
  )
  return { tokens: rows.map((row) => toWire(row, row.id)), hasNextPage: more }
}

/** Deletes a token, named by itself or by its id. 404. */
export async function deleteAccessToken(scope: Scope, token: string): Promise<void> {
  const [found] = await scope.select(accessTokens, (query) =>
    query.where(({ or, eb }) =>
      or([eb('access_tokens.id', '=', token), eb('access_tokens.token_hash', '=', hashKey(token))]),
    ),
  )
  if (!found) throw notFound('client-side access token', token)
  await scope.remove(accessTokens, found.id)
}

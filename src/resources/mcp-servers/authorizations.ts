import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import type { AuthorizationData, AuthorizationStore } from '../../mcp/oauth.ts'

/** How long an authorization may take, in milliseconds. */
export const AUTHORIZATION_MS = 5 * 60_000

const hashOf = (state: string) => createHash('sha256').update(state).digest('base64url')

const contextOf = (scope: Scope, serverId: string) => `${scope.organizationId}/${serverId}/authorization`

const ofServer = (scope: Scope, serverId: string) =>
  sql`organization_id = ${scope.organizationId} and mcp_server_id = ${serverId}`

const open = (scope: Scope, serverId: string, sealed: string | null): AuthorizationData | undefined =>
  sealed === null ? undefined : JSON.parse(scope.cipher.decrypt(sealed, contextOf(scope, serverId)))

interface AuthorizationRow {
  state_hash: string | null
  error: string | null
  data_enc: string | null
}

/** The authorization of a server: whether it still waits for its callback, why it failed, and its data. */
export async function authorizationOf(scope: Scope, serverId: string) {
  const [row] = await scope.read(
    sql<AuthorizationRow>`select state_hash, error, data_enc from mcp_authorizations where ${ofServer(scope, serverId)}`,
  )
  return row && { waits: row.state_hash !== null, error: row.error, data: open(scope, serverId, row.data_enc) }
}

/** The store of a server's authorization: the data is encrypted, for this server of this organization alone. */
export const authorizationStore = (scope: Scope, serverId: string): AuthorizationStore => ({
  load: async () => (await authorizationOf(scope, serverId))?.data,
  async save(data) {
    const sealed = scope.cipher.encrypt(JSON.stringify(data), contextOf(scope, serverId))
    await scope.query(sql`
      insert into mcp_authorizations (organization_id, mcp_server_id, data_enc)
      values (${scope.organizationId}, ${serverId}, ${sealed})
      on conflict (organization_id, mcp_server_id) do update set data_enc = excluded.data_enc returning mcp_server_id`)
  },
})

/** A new state: it names the organization, which the callback has no key to name. */
export const newState = ({ organizationId }: Scope) => `${organizationId}.${randomBytes(32).toString('base64url')}`

/** The organization that a state names. */
export const organizationIn = (state: string) => state.split('.')[0]!

/** Lets a callback bring this state, once, within five minutes. */
export async function expectCallback(scope: Scope, serverId: string, state: string): Promise<void> {
  const expires = new Date(Date.now() + AUTHORIZATION_MS).toISOString()
  await scope.query(sql`
    insert into mcp_authorizations (organization_id, mcp_server_id, state_hash, expires_at)
    values (${scope.organizationId}, ${serverId}, ${hashOf(state)}, ${expires})
    on conflict (organization_id, mcp_server_id) do update set
      state_hash = excluded.state_hash, expires_at = excluded.expires_at, error = null returning mcp_server_id`)
}

/** Takes the state of a callback: the server it belongs to, and its data. Undefined for a state that isn't expected, or not any more. */
export async function takeState(scope: Scope, state: string) {
  const [row] = await scope.query<{ mcp_server_id: string; data_enc: string | null }>(sql`
    update mcp_authorizations set state_hash = null
    where organization_id = ${scope.organizationId} and state_hash = ${hashOf(state)}
      and expires_at > ${new Date().toISOString()}::timestamptz
    returning mcp_server_id, data_enc`)
  return row && { serverId: row.mcp_server_id, data: open(scope, row.mcp_server_id, row.data_enc) }
}

/** Stores why an authorization failed. */
export const failAuthorization = (scope: Scope, serverId: string, error: string) =>
  scope.query(sql`update mcp_authorizations set error = ${error} where ${ofServer(scope, serverId)} returning error`)

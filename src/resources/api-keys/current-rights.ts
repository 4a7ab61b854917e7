import { sql } from 'kysely'
import type { Actor } from '../../db/context.ts'
import type { Scope } from '../../db/scope.ts'

/** An actor with the scopes that its key has now; undefined when the key is revoked, expired or deleted. */
export async function withCurrentRights(scope: Scope, actor: Actor): Promise<Actor | undefined> {
  const [key] = await scope.read<{ scopes: string[] }>(sql`
    select scopes from api_keys where organization_id = ${scope.organizationId} and id = ${actor.keyId}
      and revoked_at is null and (expires_at is null or expires_at > statement_timestamp())`)
  return key && { ...actor, scopes: key.scopes }
}

import type { Scope } from '../../db/scope.ts'
import type { Fetch } from '../../lib/egress.ts'
import { ApiError } from '../../lib/errors.ts'
import { redeemCode } from '../../mcp/oauth.ts'
import { authorizationStore, failAuthorization, takeState } from './authorizations.ts'
import { type CallbackQuery, mcpServers } from './schema.ts'

const refused = (detail: string, cause?: unknown) => new ApiError('bad_request', detail, { cause })

/**
 * Ends an authorization: exchanges the code for tokens, which are stored with the server. 400 for a state that nobody waits for, or
 * that has been used, and where the authorization server has refused.
 */
export async function finishAuthorization(
  scope: Scope,
  fetch: Fetch,
  { state = '', code, iss, error, error_description }: CallbackQuery,
) {
  const taken = await takeState(scope, state)
  if (!taken?.data) throw refused('This authorization is not expected, or not any more: connect to the server again.')
  const { serverId, data } = taken
  const server = await scope.get(mcpServers, serverId)
  try {
    if (code === undefined) throw new Error(error_description ?? error ?? 'the authorization server sent no code')
    await redeemCode(authorizationStore(scope, serverId), data, server.server_url!, { code, iss }, fetch)
  } catch (cause) {
    const reason = (cause as Error).message.replace(/\.$/, '')
    await failAuthorization(scope, serverId, reason)
    throw refused(`The authorization has failed: ${reason}.`, cause)
  }
  const message = `Authorized: ${server.server_name} can be used. You may close this page.`
  return { status: 'success' as const, message, server_url: server.server_url! }
}

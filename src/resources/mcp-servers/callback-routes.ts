import type { Actor } from '../../db/context.ts'
import type { Scope } from '../../db/scope.ts'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import type { Fetch } from '../../lib/egress.ts'
import { organizationIn } from './authorizations.ts'
import { finishAuthorization } from './callback.ts'
import { CALLBACK_PATH } from './callback-url.ts'
import { CallbackQuery, CallbackResult } from './schema.ts'

const operations = operationsOf('MCP servers', {
  mcp_oauth_callback: [
    'Where an authorization server sends a user back who has let this server in',
    { querystring: CallbackQuery, response: { 200: CallbackResult } },
    { public: true },
  ],
})

/** The callback of authorizations. It takes no key: its state names the organization, is secret, and is good once. */
export const mcpCallbackRoutes = (scopeOf: (actor: Actor) => Scope, fetch: Fetch) => async (app: App) => {
  app.get(CALLBACK_PATH, operations.mcp_oauth_callback, ({ id, query }) => {
    const organizationId = organizationIn(query.state ?? '')
    const actor = { organizationId, userId: null, keyId: null, scopes: [], requestId: id, operator: false }
    return finishAuthorization(scopeOf(actor), fetch, query)
  })
}

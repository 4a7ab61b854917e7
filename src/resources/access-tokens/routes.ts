import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { NoContent, Ref } from '../../lib/wire.ts'
import { createAccessToken, deleteAccessToken, listAccessTokens } from './access-tokens.ts'
import { AccessToken, AccessTokenList, AccessTokenParams, CreateAccessToken, ListAccessTokens } from './schema.ts'

const operations = operationsOf('client-side access tokens', {
  list_access_tokens: [
    'List client-side access tokens that are still good, newest first',
    { querystring: ListAccessTokens, response: { 200: AccessTokenList } },
  ],
  create_access_token: [
    'Create a client-side access token; the answer is the only one that shows it',
    { body: CreateAccessToken, response: { 200: Ref(AccessToken) } },
  ],
  delete_access_token: [
    'Delete a client-side access token',
    { params: AccessTokenParams, response: { 204: NoContent } },
  ],
})

/** `/v1/client-side-access-tokens`. `forget` clears the cache of authenticated keys after a deletion. */
export const accessTokenRoutes = (forget: () => void) => async (app: App) => {
  app.get('/', operations.list_access_tokens, ({ scope, query }) => listAccessTokens(scope, query))

  app.post('/', operations.create_access_token, ({ scope, body }) => createAccessToken(scope, body))

  app.delete(
    '/:token',
    {
      ...operations.delete_access_token,
      onSend: async () => forget(),
    },
    ({ scope, params }) => deleteAccessToken(scope, params.token),
  )
}

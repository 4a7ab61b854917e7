import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { NoContent, Ref } from '../../lib/wire.ts'
import { createAccessToken, deleteAccessToken, listAccessTokens } from './access-tokens.ts'
import { AccessToken, AccessTokenList, AccessTokenParams, CreateAccessToken, ListAccessTokens } from './schema.ts'

const operation = operationsOf('client-side access tokens')

/** `/v1/client-side-access-tokens`. `forget` clears the cache of authenticated keys after a deletion. */
export const accessTokenRoutes = (forget: () => void) => async (app: App) => {
  app.get(
    '/',
    operation('list_access_tokens', 'List client-side access tokens that are still good, newest first', {
      querystring: ListAccessTokens,
      response: { 200: AccessTokenList },
    }),
    ({ scope, query }) => listAccessTokens(scope, query),
  )

  app.post(
    '/',
    operation('create_access_token', 'Create a client-side access token; the answer is the only one that shows it', {
      body: CreateAccessToken,
      response: { 201: Ref(AccessToken) },
    }),
    ({ scope, body }, reply) => {
      reply.code(201)
      return createAccessToken(scope, body)
    },
  )

  app.delete(
    '/:token',
    {
      ...operation('delete_access_token', 'Delete a client-side access token', {
        params: AccessTokenParams,
        response: { 204: NoContent },
      }),
      onSend: async () => forget(),
    },
    async ({ scope, params }, reply) => {
      await deleteAccessToken(scope, params.token)
      reply.code(204)
    },
  )
}

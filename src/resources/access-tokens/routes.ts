import type { App } from '../../http/server.ts'
import { NoContent, Ref } from '../../lib/wire.ts'
import { createAccessToken, deleteAccessToken, listAccessTokens } from './access-tokens.ts'
import { AccessToken, AccessTokenList, AccessTokenParams, CreateAccessToken, ListAccessTokens } from './schema.ts'

const tags = ['client-side access tokens']

/** `/v1/client-side-access-tokens`. `forget` clears the cache of authenticated keys after a deletion. */
export const accessTokenRoutes = (forget: () => void) => async (app: App) => {
  app.get(
    '/',
    {
      schema: {
        operationId: 'list_access_tokens',
        summary: 'List client-side access tokens that are still good, newest first',
        tags,
        querystring: ListAccessTokens,
        response: { 200: AccessTokenList },
      },
    },
    ({ scope, query }) => listAccessTokens(scope, query),
  )

  app.post(
    '/',
    {
      schema: {
        operationId: 'create_access_token',
        summary: 'Create a client-side access token; the answer is the only one that shows it',
        tags,
        body: CreateAccessToken,
        response: { 201: Ref(AccessToken) },
      },
    },
    ({ scope, body }, reply) => {
      reply.code(201)
      return createAccessToken(scope, body)
    },
  )

  app.delete(
    '/:token',
    {
      onSend: async () => forget(),
      schema: {
        operationId: 'delete_access_token',
        summary: 'Delete a client-side access token',
        tags,
        params: AccessTokenParams,
        response: { 204: NoContent },
      },
    },
    async ({ scope, params }, reply) => {
      await deleteAccessToken(scope, params.token)
      reply.code(204)
    },
  )
}

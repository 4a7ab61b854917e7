import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { createApiKey, revokeApiKey } from './api-keys.ts'
import { ApiKey, ApiKeyParams, apiKeys, CreateApiKey, ListApiKeys, NewApiKey } from './schema.ts'

const tags = ['api-keys']
const config = { right: 'admin' } as const

/** `/v1/api-keys`. `forget` clears the cache of authenticated keys, after a revocation is committed. */
export const apiKeyRoutes = (forget: () => void) => async (app: App) => {
  app.get(
    '/',
    {
      config,
      schema: {
        operationId: 'list_api_keys',
        summary: 'List the keys of the organization, newest first',
        tags,
        querystring: ListApiKeys,
        response: { 200: Type.Array(Ref(ApiKey)) },
      },
    },
    ({ scope, query }) => scope.list(apiKeys, query),
  )

  app.post(
    '/',
    {
      config,
      schema: {
        operationId: 'create_api_key',
        summary: 'Create a key; the answer is the only one that shows it',
        tags,
        body: CreateApiKey,
        response: { 200: Ref(NewApiKey) },
      },
    },
    ({ scope, body }) => createApiKey(scope, body),
  )

  app.delete(
    '/:key_id',
    {
      config,
      onSend: async () => forget(),
      schema: {
        operationId: 'revoke_api_key',
        summary: 'Revoke a key',
        tags,
        params: ApiKeyParams,
        response: { 200: Ref(ApiKey) },
      },
    },
    ({ scope, params }) => revokeApiKey(scope, params.key_id),
  )
}

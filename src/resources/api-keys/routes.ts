import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { createApiKey, revokeApiKey } from './api-keys.ts'
import { ApiKey, ApiKeyParams, apiKeys, CreateApiKey, ListApiKeys, NewApiKey } from './schema.ts'

const config = { right: 'admin' } as const

const operations = operationsOf('api-keys', {
  list_api_keys: [
    'List the keys of the organization, newest first',
    { querystring: ListApiKeys, response: { 200: Type.Array(Ref(ApiKey)) } },
    config,
  ],
  create_api_key: [
    'Create a key; the answer is the only one that shows it',
    { body: CreateApiKey, response: { 200: Ref(NewApiKey) } },
    config,
  ],
  revoke_api_key: ['Revoke a key', { params: ApiKeyParams, response: { 200: Ref(ApiKey) } }, config],
})

/** `/v1/api-keys`. `forget` clears the cache of authenticated keys, after a revocation is committed. */
export const apiKeyRoutes = (forget: () => void) => async (app: App) => {
  app.get('/', operations.list_api_keys, ({ scope, query }) => scope.list(apiKeys, query))
  app.post('/', operations.create_api_key, ({ scope, body }) => createApiKey(scope, body))

  app.delete(
    '/:key_id',
    {
      ...operations.revoke_api_key,
      onSend: async () => forget(),
    },
    ({ scope, params }) => revokeApiKey(scope, params.key_id),
  )
}

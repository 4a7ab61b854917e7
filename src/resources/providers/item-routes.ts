import { operationsOf } from '../../http/operation.ts'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import type { Egress } from '../../lib/egress.ts'
import { Message, Ref } from '../../lib/wire.ts'
import { checkReach, trimmed } from './connect.ts'
import { modifyProvider } from './providers.ts'
import { Provider, ProviderParams, providers, UpdateProvider } from './schema.ts'

const operation = operationsOf('providers')
const params = ProviderParams
const one = { 200: Ref(Provider) }

/** `/v1/providers/{provider_id}` */
export const providerItemRoutes = (egress: Egress) => async (app: App) => {
  app.get(
    '/:provider_id',
    operation('retrieve_provider', 'Retrieve a provider', { params, response: one }),
    ({ scope, params }) => scope.retrieve(providers, params.provider_id),
  )

  app.patch(
    '/:provider_id',
    prepared({
      ...operation('modify_provider', 'Modify a provider', { params, body: UpdateProvider, response: one }),
      async prepare({ scope, params, body }) {
        const { provider_type } = await scope.get(providers, params.provider_id)
        await checkReach(egress, provider_type, trimmed(body), false)
      },
      handle: ({ scope, params, body }) => modifyProvider(scope, params.provider_id, body),
    }),
  )

  app.delete(
    '/:provider_id',
    operation('delete_provider', 'Delete a provider and its models', { params, response: { 200: Message } }),
    async ({ scope, params }) => {
      await scope.remove(providers, params.provider_id)
      return { message: `Provider id=${params.provider_id} successfully deleted` }
    },
  )
}

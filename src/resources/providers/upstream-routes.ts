import { operationsOf } from '../../http/operation.ts'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import type { Egress } from '../../lib/egress.ts'
import { Message, Ref } from '../../lib/wire.ts'
import { checkKey } from './check.ts'
import { connectionWith } from './providers.ts'
import { Provider, ProviderParams, providers } from './schema.ts'
import { fetchModels, storeModels } from './sync.ts'

const operation = operationsOf('providers')
const params = ProviderParams
const config = { callsUpstream: true }

/** Routes of `/v1/providers/{provider_id}` that call the provider. */
export const providerUpstreamRoutes = (egress: Egress) => async (app: App) => {
  app.post(
    '/:provider_id/check',
    prepared({
      ...operation(
        'check_provider_by_id',
        'Check the credentials of a provider',
        { params, response: { 200: Message } },
        config,
      ),
      async prepare({ scope, params }) {
        await checkKey(await connectionWith(scope, egress, params.provider_id))
      },
      async handle({ scope, params }) {
        const { provider_type } = await scope.get(providers, params.provider_id)
        return { message: `Valid api key for provider_type=${provider_type}` }
      },
    }),
  )

  app.patch(
    '/:provider_id/refresh',
    prepared({
      ...operation(
        'refresh_provider',
        'List the models of a provider anew',
        { params, response: { 200: Ref(Provider) } },
        config,
      ),
      prepare: ({ scope, params }) => fetchModels(scope, egress, params.provider_id),
      async handle({ scope, params }, models) {
        await storeModels(scope, params.provider_id, models)
        return scope.retrieve(providers, params.provider_id)
      },
    }),
  )
}

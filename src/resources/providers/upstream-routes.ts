import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import type { Egress } from '../../lib/egress.ts'
import { Message, Ref } from '../../lib/wire.ts'
import { checkKey } from './check.ts'
import { connectionWith } from './providers.ts'
import { Provider, ProviderParams, providers } from './schema.ts'
import { fetchModels, storeModels } from './sync.ts'

const tags = ['providers']
const params = ProviderParams
const config = { callsUpstream: true }

/** Routes of `/v1/providers/{provider_id}` that call the provider. */
export const providerUpstreamRoutes = (egress: Egress) => async (app: App) => {
  app.post(
    '/:provider_id/check',
    prepared({
      config,
      schema: {
        operationId: 'check_provider_by_id',
        summary: 'Check the credentials of a provider',
        tags,
        params,
        response: { 200: Message },
      },
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
      config,
      schema: {
        operationId: 'refresh_provider',
        summary: 'List the models of a provider anew',
        tags,
        params,
        response: { 200: Ref(Provider) },
      },
      prepare: ({ scope, params }) => fetchModels(scope, egress, params.provider_id),
      async handle({ scope, params }, models) {
        await storeModels(scope, params.provider_id, models)
        return scope.retrieve(providers, params.provider_id)
      },
    }),
  )
}

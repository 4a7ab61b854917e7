import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import type { BaseProvider } from '../../lib/base-providers.ts'
import type { Egress } from '../../lib/egress.ts'
import { Message, Ref } from '../../lib/wire.ts'
import { checkKey, checkReach, connectionTo, trimmed } from './connect.ts'
import { connectionWith, createProvider, listProviders, modifyProvider } from './providers.ts'
import {
  CheckProvider,
  CreateProvider,
  ListProviders,
  Provider,
  ProviderParams,
  providers,
  UpdateProvider,
} from './schema.ts'
import { fetchModels, storeModels } from './sync.ts'

const params = ProviderParams
const one = { 200: Ref(Provider) }
const message = { 200: Message }
const config = { callsUpstream: true }

const operations = operationsOf('providers', {
  list_providers: [
    "List the organization's own providers, newest first",
    { querystring: ListProviders, response: { 200: Type.Array(Ref(Provider)) } },
  ],
  create_provider: ['Create a provider', { body: CreateProvider, response: one }],
  check_provider: ['Check credentials that are not stored', { body: CheckProvider, response: message }, config],
  retrieve_provider: ['Retrieve a provider', { params, response: one }],
  modify_provider: ['Modify a provider', { params, body: UpdateProvider, response: one }],
  delete_provider: ['Delete a provider and its models', { params, response: message }],
  check_provider_by_id: ['Check the credentials of a provider', { params, response: message }, config],
  refresh_provider: ['List the models of a provider anew', { params, response: one }, config],
})

/** `/v1/providers` */
export const providerRoutes = (egress: Egress, base: readonly BaseProvider[]) => async (app: App) => {
  const reserved = new Set(base.map(({ name }) => name))

  app.get('/', operations.list_providers, ({ scope, query }) => listProviders(scope, query))

  app.post(
    '/',
    prepared({
      ...operations.create_provider,
      prepare: ({ body }) => checkReach(egress, body.provider_type, trimmed(body), true),
      handle: ({ scope, body }) => createProvider(scope, reserved, body),
    }),
  )

  app.post(
    '/check',
    prepared({
      ...operations.check_provider,
      async prepare({ body }) {
        const reach = trimmed(body)
        await checkReach(egress, body.provider_type, reach, true)
        await checkKey(connectionTo(egress, body.provider_type, reach))
      },
      handle: ({ body }) => ({ message: `Valid api key for provider_type=${body.provider_type}` }),
    }),
  )
}

/** `/v1/providers/{provider_id}` */
export const providerItemRoutes = (egress: Egress) => async (app: App) => {
  app.get('/:provider_id', operations.retrieve_provider, ({ scope, params }) =>
    scope.retrieve(providers, params.provider_id),
  )

  app.patch(
    '/:provider_id',
    prepared({
      ...operations.modify_provider,
      async prepare({ scope, params, body }) {
        const { provider_type } = await scope.get(providers, params.provider_id)
        await checkReach(egress, provider_type, trimmed(body), false)
      },
      handle: ({ scope, params, body }) => modifyProvider(scope, params.provider_id, body),
    }),
  )

  app.delete('/:provider_id', operations.delete_provider, async ({ scope, params }) => {
    await scope.remove(providers, params.provider_id)
    return { message: `Provider id=${params.provider_id} successfully deleted` }
  })

  app.post(
    '/:provider_id/check',
    prepared({
      ...operations.check_provider_by_id,
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
      ...operations.refresh_provider,
      prepare: ({ scope, params }) => fetchModels(scope, egress, params.provider_id),
      async handle({ scope, params }, models) {
        await storeModels(scope, params.provider_id, models)
        return scope.retrieve(providers, params.provider_id)
      },
    }),
  )
}

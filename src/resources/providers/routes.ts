import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import type { BaseProvider } from '../../lib/base-providers.ts'
import type { Egress } from '../../lib/egress.ts'
import { Message, Ref } from '../../lib/wire.ts'
import { checkKey } from './check.ts'
import { checkReach, connectionTo, trimmed } from './connect.ts'
import { createProvider, listProviders } from './providers.ts'
import { CheckProvider, CreateProvider, ListProviders, Provider } from './schema.ts'

const operation = operationsOf('providers')

/** `/v1/providers` */
export const providerRoutes = (egress: Egress, base: readonly BaseProvider[]) => async (app: App) => {
  const reserved = new Set(base.map(({ name }) => name))

  app.get(
    '/',
    operation('list_providers', "List the organization's own providers, newest first", {
      querystring: ListProviders,
      response: { 200: Type.Array(Ref(Provider)) },
    }),
    ({ scope, query }) => listProviders(scope, query),
  )

  app.post(
    '/',
    prepared({
      ...operation('create_provider', 'Create a provider', { body: CreateProvider, response: { 200: Ref(Provider) } }),
      prepare: ({ body }) => checkReach(egress, body.provider_type, trimmed(body), true),
      handle: ({ scope, body }) => createProvider(scope, reserved, body),
    }),
  )

  app.post(
    '/check',
    prepared({
      ...operation(
        'check_provider',
        'Check credentials that are not stored',
        { body: CheckProvider, response: { 200: Message } },
        { callsUpstream: true },
      ),
      async prepare({ body }) {
        const reach = trimmed(body)
        await checkReach(egress, body.provider_type, reach, true)
        await checkKey(connectionTo(egress, body.provider_type, reach))
      },
      handle: ({ body }) => ({ message: `Valid api key for provider_type=${body.provider_type}` }),
    }),
  )
}

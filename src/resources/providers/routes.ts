import { Type } from 'typebox'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import type { BaseProvider } from '../../lib/base-providers.ts'
import type { Egress } from '../../lib/egress.ts'
import { ApiError, inBody, invalid } from '../../lib/errors.ts'
import { Message, Ref } from '../../lib/wire.ts'
import { type Connection, ProviderError } from '../../llm/connection.ts'
import { checkCredentials } from '../../llm/listing.ts'
import { checkReach, connectionTo, trimmed } from './connect.ts'
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
import { askForModels, keepModels } from './sync.ts'

const tags = ['providers']
const params = ProviderParams
const callsUpstream = { callsUpstream: true }
const one = { 200: Ref(Provider) }

/** 422 unless the provider accepts the credentials; 502 when it can't be asked. */
async function checkKey(connection: Connection): Promise<void> {
  try {
    if (await checkCredentials(connection)) return
  } catch (error) {
    if (error instanceof ProviderError && error.key)
      throw invalid(inBody('api_key', `is wrong: ${error.message.replace(/\.$/, '')}`))
    throw error
  }
  throw new ApiError('invalid', `Credentials of ${connection.type} cannot be checked without using one of its models.`)
}

/** `/v1/providers` */
export const providerRoutes = (egress: Egress, base: readonly BaseProvider[]) => async (app: App) => {
  const reserved = new Set(base.map(({ name }) => name))

  app.get(
    '/',
    {
      schema: {
        operationId: 'list_providers',
        summary: "List the organization's own providers, newest first",
        tags,
        querystring: ListProviders,
        response: { 200: Type.Array(Ref(Provider)) },
      },
    },
    ({ scope, query }) => listProviders(scope, query),
  )

  app.post(
    '/',
    prepared({
      schema: {
        operationId: 'create_provider',
        summary: 'Create a provider',
        tags,
        body: CreateProvider,
        response: one,
      },
      prepare: ({ body }) => checkReach(egress, body.provider_type, trimmed(body), true),
      handle: ({ scope, body }) => createProvider(scope, reserved, body),
    }),
  )

  app.post(
    '/check',
    prepared({
      config: callsUpstream,
      schema: {
        operationId: 'check_provider',
        summary: 'Check credentials that are not stored',
        tags,
        body: CheckProvider,
        response: { 200: Message },
      },
      async prepare({ body }) {
        const reach = trimmed(body)
        await checkReach(egress, body.provider_type, reach, true)
        await checkKey(connectionTo(egress, body.provider_type, reach))
      },
      handle: ({ body }) => ({ message: `Valid api key for provider_type=${body.provider_type}` }),
    }),
  )

  app.get(
    '/:provider_id',
    { schema: { operationId: 'retrieve_provider', summary: 'Retrieve a provider', tags, params, response: one } },
    ({ scope, params }) => scope.retrieve(providers, params.provider_id),
  )

  app.patch(
    '/:provider_id',
    prepared({
      schema: {
        operationId: 'modify_provider',
        summary: 'Modify a provider',
        tags,
        params,
        body: UpdateProvider,
        response: one,
      },
      async prepare({ scope, params, body }) {
        const { provider_type } = await scope.get(providers, params.provider_id)
        await checkReach(egress, provider_type, trimmed(body), false)
      },
      handle: ({ scope, params, body }) => modifyProvider(scope, params.provider_id, body),
    }),
  )

  app.post(
    '/:provider_id/check',
    prepared({
      config: callsUpstream,
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
      config: callsUpstream,
      schema: {
        operationId: 'refresh_provider',
        summary: 'List the models of a provider anew',
        tags,
        params,
        response: one,
      },
      prepare: ({ scope, params }) => askForModels(scope, egress, params.provider_id),
      async handle({ scope, params }, models) {
        await keepModels(scope, params.provider_id, models)
        return scope.retrieve(providers, params.provider_id)
      },
    }),
  )

  app.delete(
    '/:provider_id',
    {
      schema: {
        operationId: 'delete_provider',
        summary: 'Delete a provider and its models',
        tags,
        params,
        response: { 200: Message },
      },
    },
    async ({ scope, params }) => {
      await scope.remove(providers, params.provider_id)
      return { message: `Provider id=${params.provider_id} successfully deleted` }
    },
  )
}

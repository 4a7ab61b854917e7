import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import type { Egress } from '../../lib/egress.ts'
import { ApiError, inBody, invalid } from '../../lib/errors.ts'
import type { BaseProvider } from '../../lib/provider-types.ts'
import { Message, Ref } from '../../lib/wire.ts'
import { type Connection, ProviderError } from '../../llm/connection.ts'
import { checkCredentials, type ListedModel } from '../../llm/listing.ts'
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

declare module 'fastify' {
  interface FastifyRequest {
    /** The models a provider has listed, before the handler. */
    listedModels?: ListedModel[]
  }
}

const tags = ['providers']
const params = ProviderParams
/** Waits for a provider. */
const outside = { outside: true }
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

/** `/v1/providers`: what waits for a provider is done before the handler, which may run inside a transaction. */
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
    {
      schema: {
        operationId: 'create_provider',
        summary: 'Create a provider',
        tags,
        body: CreateProvider,
        response: one,
      },
      preHandler: ({ body }) => checkReach(egress, body.provider_type, trimmed(body), true),
    },
    ({ scope, body }) => createProvider(scope, reserved, body),
  )

  app.post(
    '/check',
    {
      config: outside,
      schema: {
        operationId: 'check_provider',
        summary: 'Check credentials that are not stored',
        tags,
        body: CheckProvider,
        response: { 200: Message },
      },
      async preHandler({ body }) {
        const reach = trimmed(body)
        await checkReach(egress, body.provider_type, reach, true)
        await checkKey(connectionTo(egress, body.provider_type, reach))
      },
    },
    async ({ body }) => ({ message: `Valid api key for provider_type=${body.provider_type}` }),
  )

  app.get(
    '/:provider_id',
    { schema: { operationId: 'retrieve_provider', summary: 'Retrieve a provider', tags, params, response: one } },
    ({ scope, params }) => scope.retrieve(providers, params.provider_id),
  )

  app.patch(
    '/:provider_id',
    {
      schema: {
        operationId: 'modify_provider',
        summary: 'Modify a provider',
        tags,
        params,
        body: UpdateProvider,
        response: one,
      },
      async preHandler({ scope, params, body }) {
        const { provider_type } = await scope.get(providers, params.provider_id)
        await checkReach(egress, provider_type, trimmed(body), false)
      },
    },
    ({ scope, params, body }) => modifyProvider(scope, params.provider_id, body),
  )

  app.post(
    '/:provider_id/check',
    {
      config: outside,
      schema: {
        operationId: 'check_provider_by_id',
        summary: 'Check the credentials of a provider',
        tags,
        params,
        response: { 200: Message },
      },
      async preHandler({ scope, params }) {
        await checkKey(await connectionWith(scope, egress, params.provider_id))
      },
    },
    async ({ scope, params }) => {
      const { provider_type } = await scope.get(providers, params.provider_id)
      return { message: `Valid api key for provider_type=${provider_type}` }
    },
  )

  app.patch(
    '/:provider_id/refresh',
    {
      config: outside,
      schema: {
        operationId: 'refresh_provider',
        summary: 'List the models of a provider anew',
        tags,
        params,
        response: one,
      },
      async preHandler(request) {
        request.listedModels = await askForModels(request.scope, egress, request.params.provider_id)
      },
    },
    async ({ scope, params, listedModels }) => {
      await keepModels(scope, params.provider_id, listedModels!)
      return scope.retrieve(providers, params.provider_id)
    },
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

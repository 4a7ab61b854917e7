import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { listEmbeddingModels, listModels, totalStorageSize } from './models.ts'
import type { Relist } from './relist.ts'
import { EmbeddingModel, ListModels, Model, StorageHeaders } from './schema.ts'

const embeddingModels = { response: { 200: Type.Array(Ref(EmbeddingModel)) } }

const operations = operationsOf('models', {
  list_models: ['List language models', { querystring: ListModels, response: { 200: Type.Array(Ref(Model)) } }],
  refresh_models: [
    'List the models of all providers anew, and then the language models',
    {
      description:
        'After a failure of a provider, its old models stay, and a provider of the organization has the reason.',
      response: { 200: Type.Array(Ref(Model)) },
    },
  ],
  list_embedding_models: ['List embedding models', embeddingModels],
  list_embeddings_models: ['List embedding models', embeddingModels],
  get_total_storage_size: [
    'Report the size of the vectors',
    { headers: StorageHeaders, response: { 200: Type.Number() } },
  ],
})

/** `/v1/models`. `relist` lists the models of providers anew. */
export const modelRoutes = (relist: Relist) => async (app: App) => {
  app.get('/', operations.list_models, ({ scope, query }) => listModels(scope, query))

  app.post(
    '/refresh',
    prepared({
      ...operations.refresh_models,
      prepare: ({ scope }) => relist(scope),
      handle: ({ scope }) => listModels(scope, {}),
    }),
  )

  app.get('/embedding', operations.list_embedding_models, ({ scope }) => listEmbeddingModels(scope))
  app.get('/embeddings', operations.list_embeddings_models, ({ scope }) => listEmbeddingModels(scope))
}

/** `/v1/embeddings` */
export async function storageRoutes(app: App) {
  app.get('/total_storage_size', operations.get_total_storage_size, ({ scope, headers }) =>
    totalStorageSize(scope, headers['storage-unit'] ?? headers.storage_unit ?? 'GB'),
  )
}

import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { listEmbeddingModels, listModels, totalStorageSize } from './models.ts'
import { EmbeddingModel, ListModels, Model, StorageHeaders } from './schema.ts'

const embeddingModels = { response: { 200: Type.Array(Ref(EmbeddingModel)) } }

const operations = operationsOf('models', {
  list_models: ['List language models', { querystring: ListModels, response: { 200: Type.Array(Ref(Model)) } }],
  list_embedding_models: ['List embedding models', embeddingModels],
  list_embeddings_models: ['List embedding models', embeddingModels],
  get_total_storage_size: [
    'Tell how much room the vectors take',
    { headers: StorageHeaders, response: { 200: Type.Number() } },
  ],
})

/** `/v1/models` */
export async function modelRoutes(app: App) {
  app.get('/', operations.list_models, ({ scope, query }) => listModels(scope, query))
  app.get('/embedding', operations.list_embedding_models, ({ scope }) => listEmbeddingModels(scope))
  app.get('/embeddings', operations.list_embeddings_models, ({ scope }) => listEmbeddingModels(scope))
}

/** `/v1/embeddings` */
export async function storageRoutes(app: App) {
  app.get('/total_storage_size', operations.get_total_storage_size, ({ scope, headers }) =>
    totalStorageSize(scope, headers['storage-unit'] ?? headers.storage_unit ?? 'GB'),
  )
}

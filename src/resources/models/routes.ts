import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { listEmbeddingModels, listModels, totalStorageSize } from './models.ts'
import { EmbeddingModel, ListModels, Model, StorageHeaders } from './schema.ts'

const operation = operationsOf('models')

/** `/v1/models` */
export async function modelRoutes(app: App) {
  app.get(
    '/',
    operation('list_models', 'List language models', {
      querystring: ListModels,
      response: { 200: Type.Array(Ref(Model)) },
    }),
    ({ scope, query }) => listModels(scope, query),
  )

  const embeddingModels = (operationId: string) =>
    operation(operationId, 'List embedding models', { response: { 200: Type.Array(Ref(EmbeddingModel)) } })
  app.get('/embedding', embeddingModels('list_embedding_models'), ({ scope }) => listEmbeddingModels(scope))
  app.get('/embeddings', embeddingModels('list_embeddings_models'), ({ scope }) => listEmbeddingModels(scope))
}

/** `/v1/embeddings` */
export async function storageRoutes(app: App) {
  app.get(
    '/total_storage_size',
    operation('get_total_storage_size', 'Tell how much room the vectors take', {
      headers: StorageHeaders,
      response: { 200: Type.Number() },
    }),
    ({ scope, headers }) => totalStorageSize(scope, headers['storage-unit'] ?? headers.storage_unit ?? 'GB'),
  )
}

import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { listEmbeddingModels, listModels, totalStorageSize } from './models.ts'
import { EmbeddingModel, ListModels, Model, StorageHeaders } from './schema.ts'

const tags = ['models']

/** `/v1/models` */
export async function modelRoutes(app: App) {
  app.get(
    '/',
    {
      schema: {
        operationId: 'list_models',
        summary: 'List language models',
        tags,
        querystring: ListModels,
        response: { 200: Type.Array(Ref(Model)) },
      },
    },
    ({ scope, query }) => listModels(scope, query),
  )

  const embeddingModels = (operationId: string) => ({
    schema: { operationId, summary: 'List embedding models', tags, response: { 200: Type.Array(Ref(EmbeddingModel)) } },
  })
  app.get('/embedding', embeddingModels('list_embedding_models'), ({ scope }) => listEmbeddingModels(scope))
  app.get('/embeddings', embeddingModels('list_embeddings_models'), ({ scope }) => listEmbeddingModels(scope))
}

/** `/v1/embeddings` */
export async function storageRoutes(app: App) {
  app.get(
    '/total_storage_size',
    {
      schema: {
        operationId: 'get_total_storage_size',
        summary: 'Tell how much room the vectors take',
        tags,
        headers: StorageHeaders,
        response: { 200: Type.Number() },
      },
    },
    ({ scope, headers }) => totalStorageSize(scope, headers['storage-unit'] ?? headers.storage_unit ?? 'GB'),
  )
}

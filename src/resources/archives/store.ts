import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { STORE_SETTINGS, type VectorStores } from '../../embed/stores.ts'
import { inBody, invalid } from '../../lib/errors.ts'
import { DEFAULT_EMBEDDING, embeddingConfigOf } from '../models/handles.ts'
import type { EmbeddingConfig, VectorDbProvider } from '../models/schema.ts'
import type { CreateArchive, UpdateArchive } from './schema.ts'
import type { ArchiveRow } from './table.ts'

/**
 * Checks that a store can hold the vectors of an archive. 422 for a store that isn't set up on this server, for an archive
 * without an embedding model, and for a model whose dimension the store's index doesn't have; 502 when the store doesn't
 * respond to a request for its dimension.
 */
async function checkStore(
  stores: VectorStores,
  provider: VectorDbProvider | null | undefined,
  config: EmbeddingConfig | null | undefined,
): Promise<void> {
  if (!provider || provider === 'native') return
  const refuse = (message: string) => invalid(inBody('vector_db_provider', message))
  const store = stores[provider]
  if (!store) {
    throw refuse(`${provider} is not set up on this server: set ${STORE_SETTINGS[provider]}, or leave it native`)
  }
  if (!config) throw refuse(`${provider} holds vectors: name an embedding model (embedding)`)
  const dimension = await store.dimension?.()
  if (dimension !== undefined && dimension !== config.embedding_dim) {
    throw refuse(
      `the index of ${store.title} takes vectors of ${dimension} numbers, and those of ${config.embedding_model} have ` +
        `${config.embedding_dim}: name another embedding model`,
    )
  }
}

/** Checks the store of a new archive, with the model that the archive gets: see checkStore. */
export async function checkNewArchive(scope: Scope, stores: VectorStores, body: CreateArchive): Promise<void> {
  const { vector_db_provider: provider } = body
  if (!provider || provider === 'native') return
  await checkStore(stores, provider, (await embeddingConfigOf(scope, body)) ?? DEFAULT_EMBEDDING)
}

/** Checks the store of an archive against the model that a patch names: see checkStore. */
export async function checkModel(scope: Scope, stores: VectorStores, archiveId: string, patch: UpdateArchive) {
  if (patch.embedding === undefined && patch.embedding_config === undefined) return
  const [archive] = await scope.query<Pick<ArchiveRow, 'vector_db_provider'>>(sql`
    select vector_db_provider from archives where organization_id = ${scope.organizationId} and id = ${archiveId}`)
  await checkStore(stores, archive?.vector_db_provider, await embeddingConfigOf(scope, patch))
}

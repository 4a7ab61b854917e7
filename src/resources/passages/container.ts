import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import { nounOf } from '../../lib/ids.ts'
import { modelKey } from '../models/embedding.ts'
import type { EmbeddingConfig } from '../models/schema.ts'

/** The embedding of an archive or a folder. */
export interface Container {
  /** The requested model; null: searches are by words alone. */
  embedding_config: EmbeddingConfig | null
  /** The model that serves searches while the requested one embeds the passages; null: the requested one. */
  serving_config: EmbeddingConfig | null
  embedding_error: string | null
}

/** The lock on a container until the transaction ends: shared by inserts of passages, exclusive for a change of its model. */
export type LockMode = 'key share' | 'update'

/** Whether a container is an archive, which may lie in a hosted store. Every other container is a folder. */
export const isArchive = (id: string) => id.startsWith('archive-')

/** The table of a container's row. */
export const containerTable = (id: string) => sql.table(isArchive(id) ? 'archives' : 'folders')

/** An archive or a folder, or undefined. */
export async function findContainer(scope: Scope, id: string, lock?: LockMode): Promise<Container | undefined> {
  const [found] = await scope.read(sql<Container>`
    select embedding_config, serving_config, embedding_error from ${containerTable(id)}
    where organization_id = ${scope.organizationId} and id = ${id} ${sql.raw(lock ? `for ${lock}` : '')}`)
  return found
}

/** An archive or a folder. 404 when the organization has none with this id. */
export async function getContainer(scope: Scope, id: string, lock?: LockMode): Promise<Container> {
  const found = await findContainer(scope, id, lock)
  if (!found) throw notFound(nounOf(id), id)
  return found
}

/** Stores why the passages of a container could not be embedded; null: no error. */
export async function setEmbeddingError(scope: Scope, id: string, reason: string | null): Promise<void> {
  await scope.query(sql`update ${containerTable(id)} set embedding_error = ${reason}
    where organization_id = ${scope.organizationId} and id = ${id} and embedding_error is distinct from ${reason}`)
}

/** The configuration whose vectors serve searches; null: none. */
export const servingConfig = ({
  serving_config,
  embedding_config,
}: Pick<Container, 'serving_config' | 'embedding_config'>) => serving_config ?? embedding_config

/** The key of a configuration's model; undefined without a configuration. */
export const modelKeyOf = (config: EmbeddingConfig | null) => (config ? modelKey(config) : undefined)

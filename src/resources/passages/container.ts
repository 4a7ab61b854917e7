import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import { nounOf } from '../../lib/ids.ts'
import { modelKey } from '../models/embedding.ts'
import type { EmbeddingConfig } from '../models/schema.ts'

/** What an archive or a folder says of how its passages are embedded. */
export interface Container {
  /** What was asked for; null: they are searched by text alone. */
  embedding_config: EmbeddingConfig | null
  /** What answers while they are being embedded anew; null: `embedding_config`. */
  serving_config: EmbeddingConfig | null
  embedding_error: string | null
}

/** How a container is held until the transaction ends: as it is for new passages, or alone for a change of its model. */
type LockMode = 'key share' | 'update'

/** Whether a container is an archive, which may lie in a hosted store. Any other is a folder. */
export const isArchive = (id: string) => id.startsWith('archive-')

/** The table a container's row lies in. */
export const containerTable = (id: string) => sql.table(isArchive(id) ? 'archives' : 'folders')

/** An archive or a folder, or undefined. */
export async function findContainer(scope: Scope, id: string, hold?: LockMode): Promise<Container | undefined> {
  const [found] = await scope.query(sql<Container>`
    select embedding_config, serving_config, embedding_error from ${containerTable(id)}
    where organization_id = ${scope.organizationId} and id = ${id} ${sql.raw(hold ? `for ${hold}` : '')}`)
  return found
}

/** An archive or a folder. 404 when the organization has none with this id. */
export async function getContainer(scope: Scope, id: string, hold?: LockMode): Promise<Container> {
  const found = await findContainer(scope, id, hold)
  if (!found) throw notFound(nounOf(id), id)
  return found
}

/** The configuration whose vectors answer. */
export const servingConfig = ({ serving_config, embedding_config }: Container) => serving_config ?? embedding_config

/** Which model: undefined for none. */
export const modelKeyOf = (config: EmbeddingConfig | null) => (config ? modelKey(config) : undefined)

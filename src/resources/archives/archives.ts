import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { conflict } from '../../lib/errors.ts'
import { DEFAULT_EMBEDDING, embeddingConfigOf } from '../models/handles.ts'
import { modifyContainer } from '../passages/change-model.ts'
import { enqueueSync } from '../passages/enqueue-sync.ts'
import { archives, type CreateArchive, type ListArchives, type UpdateArchive } from './schema.ts'

/** Archives of the organization, newest first. 404 for an agent the organization doesn't have. */
export async function listArchives(scope: Scope, { name, agent_id, ...page }: ListArchives) {
  if (agent_id !== undefined) await scope.exists('agents', agent_id)
  return scope.list(archives, page, (query) =>
    query
      .$if(name !== undefined, (q) => q.where('archives.name', '=', name!))
      .$if(agent_id !== undefined, (q) =>
        q.where(sql<boolean>`exists (select from agents_archives as link
          where link.organization_id = ${scope.organizationId} and link.archive_id = archives.id
            and link.agent_id = ${agent_id})`),
      ),
  )
}

/** Changes an archive: see modifyContainer. 409 for another store, as that would move the archive's passages. */
export async function modifyArchive(
  scope: Scope,
  id: string,
  { vector_db_provider, embedding, embedding_config, ...patch }: UpdateArchive,
) {
  if (vector_db_provider && (await scope.get(archives, id)).vector_db_provider !== vector_db_provider) {
    throw conflict(
      'The vector_db_provider of an archive cannot be changed: make another archive, and its passages there.',
    )
  }
  return modifyContainer(scope, archives, id, { embedding, embedding_config }, (tx, columns) =>
    tx.update(archives, id, { ...patch, ...columns }),
  )
}

/** Deletes an archive with its passages, also from its hosted store. 404, or 412 with the current ETag. */
export const deleteArchive = (scope: Scope, id: string): Promise<void> =>
  scope.transaction(async (tx) => {
    await tx.remove(archives, id)
    await enqueueSync(tx, id)
  })

/** Makes an archive: with the built-in embedding model, unless the body names another model. */
export async function createArchive(scope: Scope, { embedding, embedding_config, ...body }: CreateArchive) {
  return scope.insert(archives, {
    ...body,
    metadata: body.metadata ?? {},
    embedding_config: (await embeddingConfigOf(scope, { embedding, embedding_config })) ?? DEFAULT_EMBEDDING,
    vector_db_provider: body.vector_db_provider ?? undefined,
  })
}

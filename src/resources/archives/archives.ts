import type { Scope } from '../../db/scope.ts'
import { agents } from '../agents/schema.ts'
import { embeddingConfigOf, LEXICAL } from '../models/handles.ts'
import { archives, type CreateArchive, type ListArchives } from './schema.ts'

/** Archives of the organization, newest first. 404 for an agent the organization doesn't have. */
export async function listArchives(scope: Scope, { name, agent_id, ...page }: ListArchives) {
  if (agent_id !== undefined) await scope.exists(agents, agent_id)
  return scope.list(archives, page, (query) =>
    query
      .$if(name !== undefined, (q) => q.where('archives.name', '=', name!))
      .$if(agent_id !== undefined, (q) =>
        q.where(({ exists, selectFrom }) =>
          exists(
            selectFrom('agents_archives as link')
              .whereRef('link.organization_id', '=', 'archives.organization_id')
              .whereRef('link.archive_id', '=', 'archives.id')
              .where('link.agent_id', '=', agent_id!),
          ),
        ),
      ),
  )
}

/** Makes an archive: with the built-in embedding model, unless the body names another. */
export async function createArchive(scope: Scope, { embedding, embedding_config, ...body }: CreateArchive) {
  return scope.insert(archives, {
    ...body,
    metadata: body.metadata ?? {},
    embedding_config: (await embeddingConfigOf({ embedding, embedding_config })) ?? LEXICAL,
  })
}

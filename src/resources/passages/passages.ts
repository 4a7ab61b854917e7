import { sql } from 'kysely'
import type { Rendered } from '../../db/render/rendered.ts'
import { renderTexts } from '../../db/render/wrap.ts'
import type { Scope } from '../../db/scope.ts'
import type { Filter } from '../../db/select.ts'
import { notFound } from '../../lib/errors.ts'
import { tagsMatch } from '../tags/filter.ts'
import type { UpdatePassage } from './body.ts'
import { enqueueSync } from './enqueue-sync.ts'
import { noteChange } from './hosted-changes.ts'
import type { IncludeVectors, ListPassages } from './query.ts'
import { type Passage, passages, passagesWithVectors } from './schema.ts'

const shapeOf = ({ include = [] }: IncludeVectors) => (include.length > 0 ? passagesWithVectors : passages)

/** The passages of an archive, oldest first. None for an archive that the organization doesn't have. */
export async function listPassagesOf(
  scope: Scope,
  archiveId: string,
  { search, tags, tag_match_mode, include, ...page }: ListPassages,
  signal?: AbortSignal,
): Promise<Rendered<Passage[]>> {
  const inArchive: Filter<'passages'> = (query) =>
    query
      .where('passages.container_id', '=', archiveId)
      .$if(tags !== undefined, (q) => q.where(tagsMatch(tags!, tag_match_mode, sql.ref('passages.tags'))))
  const filter = await scope.containing('passages', { text: search }, inArchive, signal)
  return scope.list(shapeOf({ include }), page, filter)
}

/** The passages of an archive, oldest first. 404 for an archive that the organization doesn't have. */
export async function listPassages(scope: Scope, archiveId: string, query: ListPassages, signal: AbortSignal) {
  await scope.exists('archives', archiveId)
  return listPassagesOf(scope, archiveId, query, signal)
}

/** 404 unless the archive has the passage. */
async function checkInArchive(scope: Scope, archiveId: string, id: string): Promise<void> {
  const found = await scope.read(sql`select 1 from passages
    where organization_id = ${scope.organizationId} and container_id = ${archiveId} and id = ${id}`)
  if (found.length > 0) return
  await scope.exists('archives', archiveId)
  throw notFound('passage', id)
}

/** A passage of an archive. 404, also for a passage of another archive. */
export async function retrievePassage(scope: Scope, archiveId: string, id: string, query: IncludeVectors) {
  await checkInArchive(scope, archiveId, id)
  return scope.retrieve(shapeOf(query), id)
}

/**
 * Changes the tags and the metadata of a passage, also in the archive's hosted store. 404, also for a passage of another
 * archive; 412.
 */
export async function modifyPassage(
  scope: Scope,
  archiveId: string,
  id: string,
  { tags, metadata }: UpdatePassage,
): Promise<Passage> {
  await checkInArchive(scope, archiveId, id)
  return scope.transaction(async (tx) => {
    const changed = await tx.update(passages, id, {
      tags: tags === undefined ? undefined : [...new Set(tags)],
      metadata: metadata === null ? {} : metadata,
    })
    if (tags !== undefined) await noteChange(tx, archiveId, id)
    await enqueueSync(tx, archiveId)
    return changed
  })
}

/** Deletes a passage that the archive has, also from the archive's hosted store. */
export const removePassage = (scope: Scope, archiveId: string, id: string): Promise<void> =>
  scope.transaction(async (tx) => {
    await tx.remove(passages, id)
    await enqueueSync(tx, archiveId)
  })

/** Deletes a passage of an archive. 404, also for a passage of another archive. */
export async function deletePassage(scope: Scope, archiveId: string, id: string): Promise<void> {
  await checkInArchive(scope, archiveId, id)
  await removePassage(scope, archiveId, id)
}

/** New passages as a response: with their vectors, if the request includes them. */
export async function withEmbeddings(
  scope: Scope,
  made: Passage[],
  { include = [] }: IncludeVectors,
): Promise<Passage[] | Rendered<Passage[]>> {
  if (include.length === 0) return made
  const rows = await scope.read(sql<{ json: string }>`
    select ${passagesWithVectors.rendering[scope.names].build(scope.organizationId).json} as json
    from unnest(${made.map(({ id }) => id)}::text[]) with ordinality as made (id, n)
      join passages on passages.organization_id = ${scope.organizationId} and passages.id = made.id
    order by made.n`)
  return renderTexts(rows.map(({ json }) => json))
}

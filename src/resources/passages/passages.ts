import { sql } from 'kysely'
import { escapeLike } from '../../db/escape-like.ts'
import { type Rendered, renderTexts } from '../../db/render/rendered.ts'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import { tagsMatch } from '../tags/filter.ts'
import { getContainer, modelKeyOf, servingConfig } from './container.ts'
import { enqueueSync } from './hosted.ts'
import { containerIdOf, insertPassages, type NewPassage, type PassageParent, type Vectors } from './insert.ts'
import { type IncludeVectors, type ListPassages, type Passage, passages, passagesWithVectors } from './schema.ts'

const shapeOf = ({ include = [] }: IncludeVectors) => (include.length > 0 ? passagesWithVectors : passages)

/** The passages of an archive, oldest first. */
export const listPassagesOf = (
  scope: Scope,
  archiveId: string,
  { search, tags, tag_match_mode, include, ...page }: ListPassages,
): Promise<Rendered<Passage[]>> =>
  scope.list(shapeOf({ include }), page, (query) =>
    query
      .where('passages.container_id', '=', archiveId)
      .$if(search !== undefined, (q) => q.where('passages.text', 'ilike', `%${escapeLike(search!)}%`))
      .$if(tags !== undefined, (q) => q.where(tagsMatch(tags!, tag_match_mode, sql.ref('passages.tags')))),
  )

/** The same. 404 for an archive the organization doesn't have. */
export async function listPassages(scope: Scope, archiveId: string, query: ListPassages) {
  await scope.exists('archives', archiveId)
  return listPassagesOf(scope, archiveId, query)
}

/** 404 unless the archive has the passage. */
async function checkIn(scope: Scope, archiveId: string, id: string): Promise<void> {
  const found = await scope.query(sql`select 1 from passages
    where organization_id = ${scope.organizationId} and container_id = ${archiveId} and id = ${id}`)
  if (found.length > 0) return
  await scope.exists('archives', archiveId)
  throw notFound('passage', id)
}

/** A passage of an archive. 404, also for a passage of another archive. */
export async function retrievePassage(scope: Scope, archiveId: string, id: string, query: IncludeVectors) {
  await checkIn(scope, archiveId, id)
  return scope.retrieve(shapeOf(query), id)
}

/** Deletes a passage that lies in the archive, from the hosted store it may lie in, too. */
export const removePassage = (scope: Scope, archiveId: string, id: string): Promise<void> =>
  scope.transaction(async (tx) => {
    await tx.remove(passages, id)
    await enqueueSync(tx, archiveId)
  })

/** Deletes a passage of an archive. 404, also for a passage of another archive. */
export async function deletePassage(scope: Scope, archiveId: string, id: string): Promise<void> {
  await checkIn(scope, archiveId, id)
  await removePassage(scope, archiveId, id)
}

/**
 * Makes passages in the order given, all or none. Where the model that answers is another by now than the one they were
 * embedded with, they are embedded in the background. 404 for an archive or a folder the organization doesn't have.
 */
export const addPassages = (
  scope: Scope,
  place: PassageParent,
  list: readonly NewPassage[],
  vectors: Vectors | undefined,
): Promise<Passage[]> =>
  scope.transaction(async (tx) => {
    const id = containerIdOf(place)
    const container = await getContainer(tx, id, 'key share')
    const current = vectors?.model === modelKeyOf(servingConfig(container)) ? vectors : undefined
    const made = await insertPassages(tx, place, list, current)
    const lacking = container.embedding_config && (container.serving_config || !current)
    if (lacking && made.length > 0) await tx.enqueue('embed_container', { container_id: id }, id)
    return made
  })

/** Passages just made as they go out: with their vectors, if asked for. */
export async function withEmbeddings(
  scope: Scope,
  made: Passage[],
  { include = [] }: IncludeVectors,
): Promise<Passage[] | Rendered<Passage[]>> {
  if (include.length === 0) return made
  const rows = await scope.query(sql<{ json: string }>`
    select ${passagesWithVectors.rendering[scope.names].json} as json
    from unnest(${made.map(({ id }) => id)}::text[]) with ordinality as given (id, n)
      join passages on passages.organization_id = ${scope.organizationId} and passages.id = given.id
    order by given.n`)
  return renderTexts(rows.map(({ json }) => json))
}

import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { idAt, newId } from '../../lib/ids.ts'
import { enqueueSync } from './hosted.ts'
import { type Passage, passages } from './schema.ts'

/** What a passage is made of. */
export interface NewPassage {
  text: string
  metadata?: Record<string, unknown> | undefined
  tags?: readonly string[] | undefined
  /** When it came to be, if not now. */
  created_at?: Date | undefined
}

/** Where passages lie: in an archive, or as pieces of a folder's file. */
export type PassageParent = { archive_id: string } | { source_id: string; file_id: string; file_name: string }

/** Vectors of passages by one model. */
export interface Vectors {
  /** See modelKey. */
  model: string
  vectors: readonly (readonly number[])[]
}

/** As many vectors as are sent at once: a few megabytes. */
const VECTORS_AT_ONCE = 500

/** The archive, or the folder. */
export const containerIdOf = (place: PassageParent) => ('archive_id' in place ? place.archive_id : place.source_id)

/**
 * Adds the vectors of passages, which lie in the order of `ids`, and has them brought to a hosted store where the archive
 * lies in one. One that is there stays.
 */
export async function insertVectors(
  scope: Scope,
  containerId: string,
  ids: readonly string[],
  { model, vectors }: Vectors,
): Promise<void> {
  for (let at = 0; at < ids.length; at += VECTORS_AT_ONCE) {
    const some = ids.slice(at, at + VECTORS_AT_ONCE)
    const texts = vectors.slice(at, at + VECTORS_AT_ONCE).map((vector) => `[${vector.join(',')}]`)
    await scope.query(sql`
      insert into embeddings (organization_id, passage_id, container_id, model, embedding)
      select ${scope.organizationId}, id, ${containerId}, ${model}, embedding::vector
      from unnest(${some}::text[], ${texts}::text[]) as made (id, embedding)
      on conflict do nothing`)
  }
  await enqueueSync(scope, containerId)
}

/**
 * Makes passages in the order given, with their vectors where there are any, in one transaction. Their ids, and so their
 * place in lists, follow `created_at`; those of one instant keep their order.
 */
export function insertPassages(
  scope: Scope,
  place: PassageParent,
  list: readonly NewPassage[],
  vectors?: Vectors,
): Promise<Passage[]> {
  return scope.transaction(async (inside) => {
    const rows = list.map(({ text, metadata = {}, tags = [], created_at }, at) => ({
      id: created_at ? idAt('passage', created_at, at) : newId('passage'),
      ...place,
      text,
      metadata,
      tags: [...new Set(tags)],
    }))
    const made = await inside.insertMany(passages, rows)
    const ids = rows.map(({ id }) => id)
    if (vectors) await insertVectors(inside, containerIdOf(place), ids, vectors)
    return made
  })
}

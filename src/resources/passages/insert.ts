import type { Scope } from '../../db/scope.ts'
import { idAt, newId } from '../../lib/ids.ts'
import { getContainer, modelKeyOf, servingConfig } from './container.ts'
import { type Passage, passages } from './schema.ts'
import { insertVectors, type Vectors } from './vectors.ts'

/** The content of a new passage. */
export interface NewPassage {
  text: string
  metadata?: Record<string, unknown> | undefined
  tags?: readonly string[] | undefined
  /** The creation time; undefined: now. */
  created_at?: Date | undefined
}

/** The archive of passages, or the file of a folder that they are chunks of. */
export type PassageParent = { archive_id: string } | { source_id: string; file_id: string; file_name: string }

const containerIdOf = (parent: PassageParent) => ('archive_id' in parent ? parent.archive_id : parent.source_id)

/**
 * Inserts passages in the order of the list, with their vectors if there are any, in one transaction. Their ids, and so their
 * positions in lists, follow `created_at`; passages of the same instant keep their order.
 */
export const insertPassages = (
  scope: Scope,
  parent: PassageParent,
  list: readonly NewPassage[],
  vectors?: Vectors,
): Promise<Passage[]> =>
  scope.transaction(async (tx) => {
    const rows = list.map(({ text, metadata = {}, tags = [], created_at }, at) => ({
      id: created_at ? idAt('passage', created_at, at) : newId('passage'),
      ...parent,
      text,
      metadata,
      tags: [...new Set(tags)],
    }))
    const made = await tx.insertMany(passages, rows)
    const ids = rows.map(({ id }) => id)
    if (vectors) await insertVectors(tx, containerIdOf(parent), ids, vectors)
    return made
  })

/**
 * Inserts passages in the order of the list, all or none. If the serving model has changed since the passages were embedded,
 * background work embeds them. 404 for an archive or a folder that the organization doesn't have.
 */
export const addPassages = (
  scope: Scope,
  parent: PassageParent,
  list: readonly NewPassage[],
  vectors: Vectors | undefined,
): Promise<Passage[]> =>
  scope.transaction(async (tx) => {
    const id = containerIdOf(parent)
    const container = await getContainer(tx, id, 'key share')
    const current = vectors?.model === modelKeyOf(servingConfig(container)) ? vectors : undefined
    const made = await insertPassages(tx, parent, list, current)
    const incomplete = container.embedding_config && (container.serving_config || !current)
    if (incomplete && made.length > 0) await tx.enqueue('embed_container', { container_id: id }, id)
    return made
  })

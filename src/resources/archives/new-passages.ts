import type { Scope } from '../../db/scope.ts'
import { inBody, invalid } from '../../lib/errors.ts'
import type { Embedders } from '../models/embedding.ts'
import type { CreatePassage } from '../passages/body.ts'
import { getContainer } from '../passages/container.ts'
import { checkEmbedder, embedNewPassages } from '../passages/embed.ts'
import { type PreparedPassages, preparePassages } from '../passages/prepare.ts'
import { type IncludeVectors, MOST_WITH_VECTORS } from '../passages/query.ts'

/**
 * The largest batch whose vectors an embedded database stores at once: indexing them in one transaction blocks every other
 * request. Background work embeds larger batches, in short transactions.
 */
const MOST_EMBEDDED = 200

/** Prepares a new passage of an archive, with its vector. Throws for an instant before 1970: 422. */
export const preparePassage = (
  scope: Scope,
  embedders: Embedders,
  archiveId: string,
  body: CreatePassage,
): Promise<PreparedPassages> =>
  preparePassages(
    [body],
    () => 'created_at',
    async (texts) => embedNewPassages(scope, embedders, await getContainer(scope, archiveId), texts),
  )

/**
 * Prepares a batch of new passages of an archive, with their vectors unless background work is to embed them. `embedded`:
 * whether the database is the embedded one. 422 for an instant before 1970, and for a response with too many vectors.
 */
export async function prepareBatch(
  scope: Scope,
  embedders: Embedders,
  archiveId: string,
  bodies: readonly CreatePassage[],
  { include, embedded }: IncludeVectors & { embedded: boolean },
): Promise<PreparedPassages> {
  if (include && bodies.length > MOST_WITH_VECTORS) {
    throw invalid(inBody('passages', `must be at most ${MOST_WITH_VECTORS} with include=passage.embedding`))
  }
  const inBackground = embedded && !include && bodies.length > MOST_EMBEDDED
  return preparePassages(
    bodies,
    (index) => `passages[${index}].created_at`,
    async (texts) => {
      const archive = await getContainer(scope, archiveId)
      if (!inBackground) return embedNewPassages(scope, embedders, archive, texts)
      await checkEmbedder(scope, embedders, archive)
      return undefined
    },
  )
}

import { inBody, invalid, settled } from '../../lib/errors.ts'
import type { CreatePassage } from './body.ts'
import type { NewPassage } from './insert.ts'
import type { Vectors } from './vectors.ts'

/** Passages ready for the transaction that inserts them. */
export interface PreparedPassages {
  list: NewPassage[]
  /** The vectors. Throws the error of embedding them. */
  vectors(): Vectors | undefined
}

/**
 * Passages of request bodies, embedded by `embed` before any transaction. `fieldOf` names the field of an instant by the index
 * of its body; 422 for an instant before 1970. An error of `embed` is thrown when the vectors are read: a repeated request,
 * whose response is stored, gets it even if the embedder doesn't respond any more.
 */
export async function preparePassages(
  bodies: readonly CreatePassage[],
  fieldOf: (index: number) => string,
  embed: (texts: string[]) => Promise<Vectors | undefined>,
): Promise<PreparedPassages> {
  const list = bodies.map(({ text, metadata, tags, created_at }): NewPassage => {
    const instant = created_at ? new Date(created_at.toUpperCase().replace(' ', 'T')) : undefined
    return { text, metadata: metadata ?? undefined, tags: tags ?? undefined, created_at: instant }
  })
  const early = list.flatMap(({ created_at }, index) =>
    created_at && created_at.getTime() < 0 ? [inBody(fieldOf(index), 'must not be before 1970')] : [],
  )
  if (early.length > 0) throw invalid(...early)
  return { list, vectors: await settled(embed(list.map(({ text }) => text))) }
}

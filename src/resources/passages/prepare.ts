import { inBody, invalid, type ValidationIssue } from '../../lib/errors.ts'
import type { NewPassage, Vectors } from './insert.ts'
import type { CreatePassage } from './schema.ts'

/** Passages ready for the transaction that inserts them. */
export interface PreparedPassages {
  list: NewPassage[]
  /** Throws what stood in the way of the vectors. */
  vectors(): Vectors | undefined
}

/**
 * Passages of bodies, with their vectors by `embed`: what takes long, so that no transaction waits for it. 422 for an
 * instant before 1970. What goes wrong in `embed` is thrown when the vectors are asked for: a request that is sent again
 * then has its answer, though the embedder doesn't answer any more.
 */
export async function preparePassages(
  bodies: readonly CreatePassage[],
  fieldOf: (place: number) => string,
  embed: (texts: string[]) => Promise<Vectors | undefined>,
): Promise<PreparedPassages> {
  const faults: ValidationIssue[] = []
  const list = bodies.map(({ text, metadata, tags, created_at }, place): NewPassage => {
    const instant = created_at ? new Date(created_at.toUpperCase().replace(' ', 'T')) : undefined
    if (instant && instant.getTime() < 0) faults.push(inBody(fieldOf(place), 'must not be before 1970'))
    return { text, metadata: metadata ?? undefined, tags: tags ?? undefined, created_at: instant }
  })
  if (faults.length > 0) throw invalid(...faults)
  const [embedded] = await Promise.allSettled([embed(list.map(({ text }) => text))])
  return {
    list,
    vectors() {
      if (embedded.status === 'rejected') throw embedded.reason
      return embedded.value
    },
  }
}

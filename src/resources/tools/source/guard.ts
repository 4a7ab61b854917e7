import { type Position, UnreadableSource } from './signature.ts'

const MAX_DEPTH = 30
const MAX_TYPES = 1000

/** Translates types within limits. Throws UnreadableSource beyond them. */
export interface Guard {
  /** Translates one type; types that the type contains are translated inside `work`. */
  guarded<T>(position: Position, work: () => T): T
  /** Translates a type that the source defines. */
  named<T>(name: string, position: Position, work: () => T): T
}

/**
 * Guards the translation of types: a type that contains itself, types nested deeper than 30, and more than 1000 types
 * for one function (named types are written out at every use) are faults.
 */
export function createGuard(): Guard {
  const within: string[] = []
  let depth = 0
  let count = 0

  function guarded<T>(position: Position, work: () => T): T {
    if (++count > MAX_TYPES) {
      throw new UnreadableSource({
        position,
        message: `the parameters hold more than ${MAX_TYPES} types when written out`,
      })
    }
    if (++depth > MAX_DEPTH) {
      throw new UnreadableSource({ position, message: `types must not be nested deeper than ${MAX_DEPTH} levels` })
    }
    try {
      return work()
    } finally {
      depth--
    }
  }

  function named<T>(name: string, position: Position, work: () => T): T {
    if (within.includes(name)) {
      throw new UnreadableSource({
        position,
        message: `the type ${name} contains itself, which a tool's parameters can't`,
      })
    }
    within.push(name)
    try {
      return guarded(position, work)
    } finally {
      within.pop()
    }
  }

  return { guarded, named }
}

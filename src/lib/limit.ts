/** Runs work, at most `most` of it at once; the rest waits its turn. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>

export function createLimit(most: number): Limit {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= most) await new Promise<void>((turn) => waiting.push(turn))
    else running++
    try {
      return await work()
    } finally {
      // Whoever waits takes over the place.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

/** Runs work once one of the semaphore's permits is free. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

/** A semaphore with this many permits. Waiting work runs in the order of its calls. */
export function createSemaphore(permits: number): Semaphore {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= permits) await new Promise<void>((turn) => waiting.push(turn))
    else running++
    try {
      return await work()
    } finally {
      // The first that waits takes over the permit.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

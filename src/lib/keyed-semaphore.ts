import { createSemaphore, type Semaphore } from './semaphore.ts'

/** Runs work once one of the permits of its key is free. */
export type KeyedSemaphore = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** A semaphore with this many permits for each key. Idle keys take no memory. */
export function createKeyedSemaphore(permits: number): KeyedSemaphore {
  const inUse = new Map<string, { semaphore: Semaphore; users: number }>()
  return async (key, work) => {
    const entry = inUse.get(key) ?? { semaphore: createSemaphore(permits), users: 0 }
    inUse.set(key, entry)
    entry.users++
    try {
      return await entry.semaphore(work)
    } finally {
      if (--entry.users === 0) inUse.delete(key)
    }
  }
}

/** Runs work after all earlier work of an equal key, successful or not. */
export type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** A mutex for each key, within this process. Waiting work holds no resource, and idle keys take no memory. */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = last.get(key)
    const turn = (async () => {
      await before?.catch(() => {})
      return work()
    })()
    last.set(key, turn)
    try {
      return await turn
    } finally {
      if (last.get(key) === turn) last.delete(key)
    }
  }
}

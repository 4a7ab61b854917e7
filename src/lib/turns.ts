/** Runs work after all that was given before under the same key, whether that succeeded or not. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Lets work take turns by key, within this process. What waits holds nothing; a key nobody waits for is forgotten. */
export function createTurns(): InTurn {
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

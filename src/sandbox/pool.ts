import { LRUCache } from 'lru-cache'
import { type OneShot, startOneShot } from './one-shot.ts'
import type { Command } from './spawn.ts'

/** Started processes that wait for their only job, so that few calls wait for a start. */
export interface Pool {
  /** A process of this command, which serves nobody else. Rejects with a SandboxError. */
  take(command: Command): Promise<OneShot>
  close(): Promise<void>
}

/** The processes that wait, in all. Each takes some 10 MB. */
const IDLE = 4

/** How long a process waits before it is ended. */
const IDLE_MS = 300_000

/** The head start of a call before the start of the next process, which would compete with it for the processors. */
const REFILL_MS = 20

const keyOf = ({ args }: Command) => args.join('\0')

/** Creates a pool. Each call also starts a process for the next call of its command. */
export function createPool(): Pool {
  const ending = new Set<Promise<void>>()
  let isClosed = false
  const end = (process: OneShot) => {
    const ended = process.kill().finally(() => ending.delete(ended))
    ending.add(ended)
  }
  const idle = new LRUCache<OneShot, string>({
    max: IDLE,
    ttl: IDLE_MS,
    ttlAutopurge: true,
    dispose: (_key, process, reason) => reason !== 'delete' && end(process),
  })
  function refill(command: Command, key: string) {
    if (isClosed || (idle.size === IDLE && [...idle.values()].includes(key))) return
    const process = startOneShot(command)
    process.ready.catch(() => idle.delete(process))
    idle.set(process, key)
  }
  return {
    async take(command) {
      const key = keyOf(command)
      const waiting = [...idle.entries()].find(([process, of]) => of === key && process.isAlive())?.[0]
      if (waiting) idle.delete(waiting)
      const process = waiting ?? startOneShot(command)
      await process.ready
      setTimeout(refill, REFILL_MS, command, key)
      return process
    },
    async close() {
      isClosed = true
      for (const process of idle.keys()) end(process)
      await Promise.all(ending)
    },
  }
}

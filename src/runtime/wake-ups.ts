import { sql } from 'kysely'
import type { Database } from '../db/engine/database.ts'

/** The channel of the database, and the ids in one message to it: a message has at most 8,000 bytes. */
const CHANNEL = 'cairn_runs'
const MAX_IDS = 100

/** Messages are gathered for this time. */
const GATHER_MS = 5

/** A run that another server or an earlier request carries out is looked at after this time, if nothing wakes its reader. */
export const POLL_MS = 1_000

/** A run has changed, or a reader at another server waits for its events. */
const REASONS = ['changed', 'watched'] as const
type Reason = (typeof REASONS)[number]

/** Wakes those who wait for a run, here and at other servers. Whoever waits also looks from time to time: messages get lost. */
export interface WakeUps {
  /** Whether no other server lives: then nothing is sent. */
  isAlone: boolean
  send(reason: Reason, runId: string): void
  /** Resolves when a run changes, after `ms`, or with the signal. */
  wait(runId: string, ms: number, signal?: AbortSignal): Promise<void>
  /** Passes on the wake-ups of other servers. Returns a function that ends this. */
  listen(onMessage: (reason: Reason, runIds: readonly string[]) => void): () => Promise<void>
}

/** Those who wait here, by run. */
function createWaiting() {
  const waiting = new Map<string, Set<() => void>>()
  return {
    wake: (runId: string) => waiting.get(runId)?.forEach((wake) => void wake()),
    async wait(runId: string, ms: number, signal?: AbortSignal) {
      if (signal?.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const wake = () => resolve()
      const timer = setTimeout(wake, ms)
      const all = waiting.get(runId) ?? new Set()
      waiting.set(runId, all.add(wake))
      signal?.addEventListener('abort', wake)
      await promise
      signal?.removeEventListener('abort', wake)
      clearTimeout(timer)
      all.delete(wake)
      if (all.size === 0) waiting.delete(runId)
    },
  }
}

/** Creates the wake-ups of a server. */
export function createWakeUps({ kysely, listen }: Database): WakeUps {
  const { wait, wake } = createWaiting()
  const unsent = { changed: new Set<string>(), watched: new Set<string>() }
  let timer: NodeJS.Timeout | undefined
  const flush = async () => {
    timer = undefined
    for (const reason of REASONS) {
      const ids = [...unsent[reason]]
      unsent[reason].clear()
      for (let at = 0; at < ids.length; at += MAX_IDS) {
        const text = JSON.stringify({ reason, ids: ids.slice(at, at + MAX_IDS) })
        // Whom a lost message doesn't wake, a clock does.
        await sql`select pg_notify(${CHANNEL}, ${text})`.execute(kysely).catch(() => {})
      }
    }
  }
  return {
    isAlone: false,
    send(reason, runId) {
      if (reason === 'changed') wake(runId)
      if (this.isAlone) return
      unsent[reason].add(runId)
      timer ??= setTimeout(flush, GATHER_MS)
    },
    wait,
    listen(onMessage) {
      const unlisten = listen(CHANNEL, (text) => {
        const { reason, ids } = JSON.parse(text) as { reason: Reason; ids: string[] }
        if (reason === 'changed') ids.forEach(wake)
        onMessage(reason, ids)
      })
      return async () => {
        clearTimeout(timer)
        await unlisten()
      }
    },
  }
}

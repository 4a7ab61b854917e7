import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { OwnedRun } from './commit.ts'
import type { Chunk, EventLog } from './event-log.ts'
import type { WakeUps } from './wake-ups.ts'

/** Events of a run are stored after this time, and sooner while a reader waits at another server. */
const FLUSH_MS = 500
const HURRY_MS = 50

/** The time for which a reader's wish counts: readers repeat it every second. */
const HURRY_FOR_MS = 3_000

/** The characters of the events in one statement, unless one run alone has more. */
const MAX_LENGTH = 1 << 20

/** A run whose events are stored while they come. */
interface Followed {
  organizationId: string
  run: OwnedRun
  log: EventLog
  /** When the events are stored next, and until when a reader waits at another server: `performance.now()`. */
  dueAt: number
  hurriedUntil: number
}

/** Stores events of the runs of this server while they come, for readers at other servers and for later ones. */
export interface EventStore {
  /** Stores the events of a log, until `stop`. `hurry`: a reader waits at another server. */
  follow(organizationId: string, run: OwnedRun, log: EventLog): { hurry(): void; stop(): void }
}

type Row = Followed & { chunk: Chunk }

/** Stores events of several runs, one row for each, unless another server owns the run. */
const insertChunks = (kysely: Kysely<Tables>, rows: readonly Row[]) =>
  sql`insert into run_chunks (organization_id, run_id, last_seq, first_seq, data)
    select runs.organization_id, runs.id, chunk.last_seq, chunk.first_seq, chunk.data::json
    from unnest(${rows.map((row) => row.organizationId)}::text[], ${rows.map(({ run }) => run.id)}::text[],
      ${rows.map(({ run }) => run.owner)}::text[], ${rows.map(({ run }) => run.fence)}::int[],
      ${rows.map(({ chunk }) => chunk.first)}::int[], ${rows.map(({ chunk }) => chunk.last)}::int[],
      ${rows.map(({ chunk }) => chunk.data)}::text[])
      as chunk (organization_id, run_id, owner, fence, first_seq, last_seq, data)
    join runs on runs.organization_id = chunk.organization_id and runs.id = chunk.run_id and runs.owner = chunk.owner
      and runs.fence = chunk.fence
    on conflict do nothing`.execute(kysely)

/** Parts of the rows that one statement can store. */
function* partsOf(rows: readonly Row[]): Generator<Row[]> {
  let part: Row[] = []
  let length = 0
  for (const row of rows) {
    if (part.length > 0 && length + row.chunk.data.length > MAX_LENGTH) {
      yield part
      part = []
      length = 0
    }
    part.push(row)
    length += row.chunk.data.length
  }
  if (part.length > 0) yield part
}

/**
 * Creates the store of the events of a server. One statement stores the events of many runs: a thousand streams cost a few
 * statements a second. The commits of a run store the rest of its events. Events that couldn't be stored are stored with the
 * next ones.
 */
export function createEventStore(kysely: Kysely<Tables>, wakeUps: WakeUps): EventStore {
  const followed = new Set<Followed>()
  let isScheduled = false
  const store = async () => {
    const due = [...followed].filter(({ dueAt }) => dueAt <= performance.now())
    const rows = due.flatMap((one) => {
      const chunk = one.log.chunk()
      return chunk ? [{ ...one, chunk }] : []
    })
    for (const part of partsOf(rows)) {
      await insertChunks(kysely, part).then(
        () => part.forEach(({ log, chunk }) => void log.markStored(chunk)),
        () => {},
      )
    }
    const now = performance.now()
    for (const one of due) one.dueAt = now + (now < one.hurriedUntil ? HURRY_MS : FLUSH_MS)
    isScheduled = false
    schedule()
  }
  const schedule = () => {
    if (isScheduled || followed.size === 0) return
    isScheduled = true
    setTimeout(store, HURRY_MS).unref()
  }
  return {
    follow(organizationId, run, log) {
      const one = { organizationId, run, log, dueAt: performance.now() + FLUSH_MS, hurriedUntil: 0 }
      followed.add(one)
      log.onStored = () => performance.now() < one.hurriedUntil && wakeUps.send('changed', run.id)
      schedule()
      return {
        hurry() {
          const now = performance.now()
          one.hurriedUntil = now + HURRY_FOR_MS
          one.dueAt = Math.min(one.dueAt, now + HURRY_MS)
        },
        stop: () => void followed.delete(one),
      }
    },
  }
}

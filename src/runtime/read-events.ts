import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import { notFound } from '../lib/errors.ts'
import type { NumberedEvent } from './event-log.ts'
import type { Runtime } from './runtime.ts'
import { eventsAfterwards } from './stored-run.ts'
import { POLL_MS } from './wake-ups.ts'

/** The stored rows of events that are read at once. */
const PAGE = 20

/** Stored events after a number, and whether the run has ended without further ones. 404. */
async function storedPage(scope: Scope, id: string, after: number) {
  const { organizationId } = scope
  const [run] = await scope.query<{ is_over: boolean; pages: NumberedEvent[][] }>(sql`
    select status not in ('created', 'running') as is_over, to_json(array(select data from run_chunks
      where organization_id = ${organizationId} and run_id = ${id} and last_seq > ${after}
      order by last_seq limit ${PAGE})) as pages
    from runs where organization_id = ${organizationId} and id = ${id}`)
  if (!run) throw notFound('run', id)
  return { events: run.pages.flat(), isOver: run.is_over }
}

/**
 * The events of a run after a number, as they come, each once. From memory where this server carries the run out and has
 * them; else from the database: of another server's run, for a reader that is far behind, and after the end. 404.
 */
export async function* eventsOf(
  runtime: Runtime,
  scope: Scope,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent> {
  let last = after
  // The first event of a run is a ping, which a run that waits has, too.
  let hasBegun = after > 1
  while (!signal.aborted) {
    const log = runtime.local(id)?.log
    if (log?.reaches(last)) {
      for await (const item of log.read(last, signal)) {
        last = item.seq
        hasBegun ||= item.event.message_type !== 'ping'
        yield item
      }
      if (log.isOver(last)) return
    }
    const { events, isOver } = await storedPage(scope, id, last)
    for (const item of events) {
      // Two rows may have the same event, when it was being stored at a commit.
      if (item.seq <= last) continue
      last = item.seq
      hasBegun = true
      yield item
    }
    if (events.length > 0) continue
    if (isOver) {
      if (!hasBegun) for (const event of await eventsAfterwards(scope, id)) yield { seq: ++last, event }
      return
    }
    // No event of earlier servers is left to read.
    if (log && last < log.start) last = log.start
    else await runtime.changed(id, POLL_MS, signal)
  }
}

import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import type { NumberedEvent } from '../event-log.ts'
import { ping } from '../frames.ts'
import { eventsOf } from '../read-events.ts'
import type { Runtime } from '../runtime.ts'
import { eventsAfterwards } from '../stored-run.ts'
import { POLL_MS } from '../wake-ups.ts'

/** The numbers of one turn: more than a run takes that several servers carry out, and few enough for 200 turns. */
const NUMBERS_OF_TURN = 10_000_000

/** A turn of a group's run, and whether the run is over. 404. */
async function findTurn(scope: Scope, runId: string, after: number) {
  const { organizationId } = scope
  const [run] = await scope.query<{ is_over: boolean; turn: { id: string; turn: number } | null }>(sql`
    select status not in ('created', 'running') as is_over,
      (select json_build_object('id', id, 'turn', turn) from runs as below where below.organization_id = ${organizationId}
        and below.parent_run_id = ${runId} and below.turn > ${after} order by below.turn limit 1) as turn
    from runs where organization_id = ${organizationId} and id = ${runId}`)
  if (!run) throw notFound('run', runId)
  return run
}

/** The events by which a stream begins and ends are the group's. */
const EDGES = ['ping', 'stop_reason', 'usage_statistics', 'error_message']

/** The events of a group's run after a number: those of its turns, one behind the other, each once and with its own number. 404. */
export async function* groupEventsOf(
  runtime: Runtime,
  scope: Scope,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent> {
  if (after < 1) yield { seq: 1, event: ping(id) }
  let turn = Math.floor(after / NUMBERS_OF_TURN) - 2
  while (!signal.aborted) {
    const changed = runtime.changed(id, POLL_MS, signal)
    const found = await findTurn(scope, id, turn)
    if (found.turn) {
      turn = found.turn.turn
      const start = (turn + 1) * NUMBERS_OF_TURN
      for await (const { seq, event } of eventsOf(runtime, scope, found.turn.id, Math.max(0, after - start), signal)) {
        if (!EDGES.includes(event.message_type)) yield { seq: start + seq, event }
      }
    } else if (found.is_over) break
    else await changed
  }
  const ends = await eventsAfterwards(scope, id)
  for (const [n, event] of ends.filter(({ message_type }) => EDGES.includes(message_type)).entries()) {
    yield { seq: (turn + 2) * NUMBERS_OF_TURN + n + 1, event }
  }
}

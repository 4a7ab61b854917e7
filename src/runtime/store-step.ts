import type { Scope } from '../db/scope.ts'
import { ApiError } from '../lib/errors.ts'
import { loadAgentIn } from '../resources/conversations/agent-in.ts'
import type { StreamEvent } from '../resources/messages/schema.ts'
import { type Commit, type Committed, commitRun } from './commit.ts'
import { beginSleeptimeRuns, beginsSleeptimeRuns } from './groups/sleeptime.ts'
import { LostRunError } from './interruptions.ts'
import { createMemory } from './memory.ts'
import { RefusedError } from './refused.ts'
import type { ToolResult } from './tools/tool.ts'
import type { Start, Turn } from './turn.ts'
import { writeMemory } from './write-memory.ts'

/** The attempts to write memory that others write at the same time. */
const ATTEMPTS = 10

/** Changes of a run, with the events that its readers get once the changes are stored. */
export interface Changes extends Omit<Commit, 'chunk'> {
  events?: readonly StreamEvent[]
}

/** Changes, with the steps of the calls of the model that have failed since the last commit. */
function withFailedCalls(turn: Turn | Start, changes: Commit): Commit {
  if (!('failedCalls' in turn) || turn.failedCalls.length === 0) return changes
  const { steps = [], traces = [] } = changes
  return {
    ...changes,
    steps: [...turn.failedCalls.map(({ step }) => step), ...steps],
    traces: [...turn.failedCalls.map(({ trace }) => trace), ...traces],
  }
}

/** Stores changes in a transaction, if `tx` has one. `publish` reports the events: it is called when they can't be undone. */
async function commit(tx: Scope, turn: Turn | Start, { events = [], ...changes }: Changes) {
  const { run, log, begin } = turn
  const { begun, context } = await beginSleeptimeRuns(tx, turn, changes)
  const chunk = log.chunk(events)
  const committed = await commitRun(tx, run, { ...withFailedCalls(turn, changes), ...(context && { context }), chunk })
  if (!committed) throw new LostRunError()
  if (changes.end && run.hasCallback) await tx.enqueue('run_callback', { run_id: run.id }, run.id)
  const publish = () => {
    if ('failedCalls' in turn) turn.failedCalls = []
    if (changes.end) run.waitingAtEnd = committed.waiting
    log.push(...events)
    if (chunk) log.markStored(chunk)
    for (const queued of begun) begin(queued)
  }
  return { committed, publish }
}

/** Stores changes of a run. Throws a LostRunError when another server owns the run. */
export async function store(turn: Turn | Start, changes: Changes): Promise<Committed> {
  const stored = (tx: Scope) => commit(tx, turn, changes)
  // The job of a callback, and the runs that follow, are there with the end of the run, or neither is.
  const isAlone = !turn.run.hasCallback && !beginsSleeptimeRuns(turn, changes)
  const { committed, publish } = await (isAlone ? stored(turn.scope) : turn.scope.transaction(stored))
  publish()
  return committed
}

const isStale = (error: unknown) =>
  error instanceof ApiError && (error.code === 'precondition_failed' || error.code === 'not_found')

/**
 * Runs the calls of a step, and stores their returns together with all that they write: both happen, or neither. When
 * somebody else has written a memory block meanwhile, the calls run again on the new value; when the change of a call is
 * refused, they run again without that call. Throws a LostRunError.
 */
export async function storeWithEffects(
  turn: Turn,
  execute: () => Promise<ToolResult[]>,
  changesOf: (results: readonly ToolResult[]) => Changes,
): Promise<Committed> {
  const { scope } = turn
  for (let left = ATTEMPTS; ; left--) {
    const results = await execute()
    const changes = changesOf(results)
    const effects = results.flatMap(({ effect }) => effect ?? [])
    try {
      if (turn.memory.changed.size === 0 && effects.length === 0) return await store(turn, changes)
      const { committed, publish, versions } = await scope.transaction(async (tx) => {
        const written = await writeMemory(tx, turn.run, turn.memory)
        for (const effect of effects) await effect(tx)
        return { ...(await commit(tx, turn, changes)), versions: written }
      })
      publish()
      for (const block of turn.memory.blocks.values()) block.version = versions.get(block.id) ?? block.version
      turn.memory.changed.clear()
      return committed
    } catch (error) {
      if (error instanceof RefusedError) turn.refused.set(error.callId, error.message)
      else if (left === 0 || !isStale(error)) throw error
      turn.memory = createMemory((await loadAgentIn(scope, turn.run)).blocks)
    }
  }
}

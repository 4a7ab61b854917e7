import { VERSION } from '../db/marks.ts'
import type { Scope } from '../db/scope.ts'
import { ApiError } from '../lib/errors.ts'
import { loadAgent } from '../resources/agents/load.ts'
import { blocks } from '../resources/blocks/schema.ts'
import { type Commit, type Committed, commitRun } from './commit.ts'
import { createMemory } from './memory.ts'
import type { ToolResult } from './tools/tool.ts'
import type { Turn } from './turn.ts'

/** Thrown when another server carries out the run: this server stops without a word. */
export class LostRunError extends Error {}

/** The attempts to write memory that others write at the same time. */
const ATTEMPTS = 10

/** Stores changes of a run. Throws a LostRunError when another server owns the run. */
export async function store(scope: Scope, turn: Turn, changes: Commit): Promise<Committed> {
  const committed = await commitRun(scope, turn.run, changes)
  if (!committed) throw new LostRunError()
  return committed
}

async function writeMemory(tx: Scope, { memory, run }: Turn): Promise<Map<string, number>> {
  const versions = new Map<string, number>()
  for (const [label, tool_call_id] of memory.changed) {
    const block = memory.blocks.get(label)!
    const author = { agent_id: run.agentId, run_id: run.id, tool_call_id }
    const written = await tx.asAgent(author, [block.version]).update(blocks, block.id, { value: block.value })
    versions.set(label, written[VERSION]!)
  }
  return versions
}

const isStale = (error: unknown) =>
  error instanceof ApiError && (error.code === 'precondition_failed' || error.code === 'not_found')

/**
 * Runs the calls of a step, and stores their returns together with all that they write: both happen, or neither. When
 * somebody else has written a memory block meanwhile, the calls run again on the new value. Throws a LostRunError.
 */
export async function storeWithEffects(
  turn: Turn,
  execute: () => Promise<ToolResult[]>,
  changesOf: (results: readonly ToolResult[]) => Commit,
): Promise<Committed> {
  const { scope } = turn
  for (let left = ATTEMPTS; ; left--) {
    const results = await execute()
    const changes = changesOf(results)
    const effects = results.flatMap(({ effect }) => effect ?? [])
    try {
      if (turn.memory.changed.size === 0 && effects.length === 0) return await store(scope, turn, changes)
      const [committed, versions] = await scope.transaction(async (tx) => {
        const written = await writeMemory(tx, turn)
        for (const effect of effects) await effect(tx)
        return [await store(tx, turn, changes), written] as const
      })
      for (const [label, version] of versions) turn.memory.blocks.get(label)!.version = version
      turn.memory.changed.clear()
      return committed
    } catch (error) {
      if (left === 0 || !isStale(error)) throw error
      turn.memory = createMemory((await loadAgent(scope, turn.run.agentId)).blocks)
    }
  }
}

import { randomUUID } from 'node:crypto'
import type { Scope } from '../../db/scope.ts'
import { newId } from '../../lib/ids.ts'
import { SLEEPTIME } from '../../resources/agents/sleeptime.ts'
import { insertRun } from '../accept.ts'
import { lockRunBudgets } from '../budgets.ts'
import type { Commit } from '../commit.ts'
import { contextWith, type QueuedRun, type Start, type Turn } from '../turn.ts'
import { afterTurn, lockSleepingGroups, noteTurn, type SleepingGroup } from './sleeping-groups.ts'
import { linesOfRuns, numberedLines, rowsBeyond, sleeptimeMessage } from './sleeptime-transcript.ts'

/** Whether the end of a run begins runs of the agents that look after the memory of its agent. */
export const beginsSleeptimeRuns = (turn: Turn | Start, { end, messages }: Commit): turn is Turn =>
  'agent' in turn &&
  end?.status === 'completed' &&
  // The answer to an approval that comes again ends a run without a word.
  (Boolean(messages?.length) || turn.usage.step_count > 0) &&
  turn.request.thinksAbout === undefined &&
  turn.agent.managed_groups.some(({ manager_type }) => SLEEPTIME.includes(manager_type))

/** Stores a run for each member of a group. A member that takes no run, as one whose queue is full, is left out. */
async function queueMembers(tx: Scope, turn: Turn, group: SleepingGroup, lines: string[]): Promise<QueuedRun[]> {
  const { id: group_id, manager_type, members } = group
  const content = sleeptimeMessage(manager_type, turn.agent.row.name, lines)
  const queued: QueuedRun[] = []
  for (const member of members) {
    const run = {
      threadId: member,
      agentId: member,
      groupId: group_id,
      request: {
        messages: [{ role: 'user' as const, content, group_id, otid: randomUUID() }],
        thinksAbout: { agentId: turn.run.agentId, lines: manager_type === 'voice_sleeptime' ? lines : [] },
        on_pending: 'deny' as const,
      },
      actor: tx.actor,
      otids: [],
      background: false,
      runType: 'sleeptime_agent_send_message_async',
      metadata: { agent_id: member },
      owner: null,
    }
    await lockRunBudgets(tx, run)
    const [stored] = await insertRun(tx, run, newId('run'))
    if (stored) queued.push({ id: stored.id, threadId: member })
  }
  return queued
}

/** What follows the end of a run: runs of the members, and for a voice agent a shorter context. */
interface Sequel {
  begun: QueuedRun[]
  context?: string[]
}

/**
 * Counts a turn in the groups whose members look after the memory of its agent, and stores the runs of members whose turn has
 * come, in the transaction that ends the agent's run: both happen, or neither. The usage of the turn names these runs.
 */
export async function beginSleeptimeRuns(tx: Scope, turn: Turn | Start, changes: Commit): Promise<Sequel> {
  if (!beginsSleeptimeRuns(turn, changes)) return { begun: [] }
  const { run, rows } = turn
  const { messages = [], end } = changes
  const isOver = end!.stopReason !== 'requires_approval'
  const last = [...rows, ...messages].at(-1)?.id
  const gone = new Set<string>()
  const begun: QueuedRun[] = []
  for (const group of await lockSleepingGroups(tx, run.agentId)) {
    if (group.manager_type === 'voice_sleeptime') {
      const evicted = isOver ? rowsBeyond([...rows, ...messages], group) : []
      if (evicted.length === 0) continue
      for (const { id } of evicted) gone.add(id)
      await noteTurn(tx, group.id, run.id, null, evicted.at(-1)!.id)
      begun.push(...(await queueMembers(tx, turn, group, numberedLines(evicted))))
    } else if (group.frequency !== 0) {
      const { isDue, turns_counter } = afterTurn(group, isOver)
      await noteTurn(tx, group.id, run.id, turns_counter, isDue ? last : undefined)
      if (!isDue) continue
      begun.push(...(await queueMembers(tx, turn, group, await linesOfRuns(tx, [...group.unread, run.id], messages))))
    }
  }
  // The end of the run and its event share this object.
  if (begun.length > 0) turn.usage.run_ids = begun.map(({ id }) => id)
  return { begun, ...(gone.size > 0 && { context: contextWith(turn, messages).filter((id) => !gone.has(id)) }) }
}

import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { newId } from '../../lib/ids.ts'
import { insertRun, refusal } from '../accept.ts'
import { lockRunBudgets } from '../budgets.ts'
import { CancelledError, LostRunError } from '../interruptions.ts'
import type { UserInput } from '../request.ts'
import type { Start } from '../turn.ts'
import type { GroupState, Member } from './group-state.ts'
import type { NextTurn } from './next-turn.ts'
import { unseenMessages } from './unseen.ts'

type Speech = Extract<NextTurn, { speaker: Member }>

/** A message of the server in a group. */
const note = (content: string, group_id: string): UserInput => ({
  role: 'system',
  content,
  group_id,
  sender_id: group_id,
  otid: randomUUID(),
})

/** The messages with which a turn begins: at least one. */
async function inputsOf(scope: Scope, groupId: string, { speaker, tool, others = [], endWord }: Speech) {
  const unseen = await unseenMessages(scope, groupId, speaker.id)
  if (tool === 'choose_next_speaker') {
    const names = others.map(({ name }) => name).join(', ')
    const ends = endWord ? ` "${endWord}" ends the conversation.` : ''
    return [note(`Read what was said, and choose who speaks next: ${names}.${ends}`, groupId), ...unseen]
  }
  return unseen.length > 0 ? unseen : [note('It is your turn again.', groupId)]
}

/** Locks the group's run against other servers and its cancellation. Throws a LostRunError, a CancelledError. */
async function lockRun(tx: Scope, { run }: Start): Promise<void> {
  const [own] = await tx.query<{ cancelled: boolean }>(sql`
    select cancel_requested_at is not null as cancelled from runs where organization_id = ${tx.organizationId}
      and id = ${run.id} and status = 'running' and owner = ${run.owner} and fence = ${run.fence} for share`)
  if (!own) throw new LostRunError()
  if (own.cancelled) throw new CancelledError()
}

/**
 * Stores the next turn of a group's run, and begins it once its agent is free. A turn is stored once, whatever servers carry the
 * run out. 409 for an agent that takes no run, as one that waits for an approval. Throws a LostRunError, a CancelledError.
 */
export async function beginTurn(start: Start, { turns }: GroupState, speech: Speech): Promise<void> {
  const { scope, run, request } = start
  const { speaker, tool, others: members = [], endWord: end } = speech
  const groupId = run.threadId
  const messages = await inputsOf(scope, groupId, speech)
  const id = newId('run')
  const turn = {
    ...{ threadId: speaker.id, agentId: speaker.id, groupId, parentRunId: run.id },
    turn: (turns.at(-1)?.turn ?? -1) + 1,
    request: { ...request, messages, group: { groupId, runId: run.id, tool, members, end } },
    ...{ actor: scope.actor, otids: [], background: request.background ?? false, runType: 'group_turn', owner: null },
  }
  const [stored] = await scope.transaction(async (tx) => {
    await lockRun(tx, start)
    await lockRunBudgets(tx, turn)
    return insertRun(tx, turn, id)
  })
  if (!stored) throw await refusal(scope, turn)
  start.begin({ id, threadId: speaker.id })
}

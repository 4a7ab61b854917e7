import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import type { StoredMessage } from '../../resources/messages/table.ts'
import type { UserInput } from '../request.ts'
import { saidIn } from './said.ts'

/** The newest runs of a group that an agent may not have seen: of more, it doesn't read the others. */
const MAX_RUNS = 100

/** A run of a group with the messages of its caller, or a turn in one. */
interface Entry {
  id: string
  agent_id: string | null
  /** The number of the group's run, and the turn in it: a caller's messages come before turn 0. */
  line: number
  turn: number
  messages: UserInput[] | null
}

/** The newest runs and turns of a group, in the order in which they were carried out. */
async function entriesOf(scope: Scope, groupId: string): Promise<Entry[]> {
  const { organizationId } = scope
  const rows = await scope.query<Entry>(sql`
    select run.id, run.agent_id, coalesce(parent.queue_no, run.queue_no) as line, coalesce(run.turn, -1) as turn,
      case when run.agent_id is null then run.request -> 'messages' end as messages
    from runs as run left join runs as parent
      on parent.organization_id = ${organizationId} and parent.id = run.parent_run_id
    where run.organization_id = ${organizationId} and run.group_id = ${groupId}
      and (run.agent_id is null and run.status <> 'created' or run.turn is not null and parent.id is not null
        and run.request -> 'group' ->> 'tool' is distinct from 'choose_next_speaker')
    order by run.created_at desc, run.id desc limit ${MAX_RUNS}`)
  return rows.sort((a, b) => a.line - b.line || a.turn - b.turn)
}

type Reply = StoredMessage & { agent_type: string }

/** The rows of turns, by the run. */
async function repliesOf(scope: Scope, runIds: readonly string[]): Promise<Map<string | null, Reply[]>> {
  const { organizationId } = scope
  const rows = await scope.query<Reply>(sql`
    select *, (select agent_type from agents
      where agents.organization_id = ${organizationId} and agents.id = messages.agent_id) as agent_type
    from messages where organization_id = ${organizationId} and run_id = any(${runIds}::text[])
      and role in ('assistant', 'tool') order by created_at, id`)
  return Map.groupBy(rows, ({ run_id }) => run_id)
}

function replyMessages(rows: readonly Reply[], group_id: string): UserInput[] {
  const { agent_id, agent_type } = rows[0]!
  const name = rows.find((row) => row.role === 'assistant')?.name ?? agent_id
  return saidIn(rows, agent_type).texts.map((text) => ({
    ...{ role: 'system', content: `${name}: ${text}`, name, sender_id: agent_id, group_id, otid: randomUUID() },
  }))
}

/** The messages of a group that an agent hasn't read: those of callers, and the replies of others since its last turn. */
export async function unseenMessages(scope: Scope, groupId: string, agentId: string): Promise<UserInput[]> {
  const entries = await entriesOf(scope, groupId)
  const unseen = entries.slice(entries.findLastIndex(({ agent_id }) => agent_id === agentId) + 1)
  const replies = await repliesOf(
    scope,
    unseen.map(({ id }) => id),
  )
  return unseen.flatMap(({ id, messages }) => {
    if (messages) return messages.map((message) => ({ ...message, group_id: groupId }))
    const rows = replies.get(id)
    return rows ? replyMessages(rows, groupId) : []
  })
}

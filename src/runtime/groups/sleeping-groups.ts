import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'

/** A group whose members look after the memory of its manager. */
export interface SleepingGroup {
  id: string
  manager_type: 'sleeptime' | 'voice_sleeptime'
  /** The turns of the manager between two runs of the members; null: each turn has one. 0: none has. */
  frequency: number | null
  turns_counter: number | null
  /** The messages of a voice agent in context: beyond `max`, all but `min` go. */
  max: number | null
  min: number | null
  /** The runs of the manager that the members haven't read. */
  unread: string[]
  members: string[]
}

/** The runs that members read at once: of more, the newest. */
const MAX_UNREAD = 100

/** The groups whose members look after the memory of an agent, locked until the transaction ends. */
export const lockSleepingGroups = (tx: Scope, agentId: string): Promise<SleepingGroup[]> =>
  tx.query<SleepingGroup>(sql`
    select id, manager_type, sleeptime_agent_frequency as frequency, turns_counter, max_message_buffer_length as max,
      min_message_buffer_length as min, unprocessed_run_ids as unread, to_json(array(
        select agent_id from groups_agents as link where link.organization_id = ${tx.organizationId}
          and link.group_id = groups.id and link.agent_id <> ${agentId} order by position)) as members
    from groups where organization_id = ${tx.organizationId} and manager_agent_id = ${agentId}
      and manager_type in ('sleeptime', 'voice_sleeptime')
    order by id for update`)

/** A group behind a turn of its manager, and whether the members read now. A turn that waits for an approval isn't over. */
export function afterTurn({ frequency, turns_counter }: SleepingGroup, isOver: boolean) {
  if (!isOver || frequency === 0) return { isDue: false, turns_counter }
  if (frequency === null) return { isDue: true, turns_counter: null }
  const counter = ((turns_counter ?? -1) + 1) % frequency
  return { isDue: counter === 0, turns_counter: counter }
}

/** Stores a group behind a turn. `read`: the last message that its members read now; undefined: the run is left to read. */
export const noteTurn = (tx: Scope, id: string, runId: string, turns_counter: number | null, read?: string) =>
  tx.query(sql`
    update groups set turns_counter = ${turns_counter}, version = version + 1, updated_at = ${new Date().toISOString()}::timestamptz,
      ${
        read === undefined
          ? sql`unprocessed_run_ids = (array_prepend(${runId}, unprocessed_run_ids))[:${sql.lit(MAX_UNREAD)}]`
          : sql`unprocessed_run_ids = '{}', last_processed_message_id = ${read}`
      }
    where organization_id = ${tx.organizationId} and id = ${id} returning id`)

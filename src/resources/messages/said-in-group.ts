import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'

/**
 * A condition for what was said in a group: the messages of its members, and those of callers once, however many members read them.
 * Members also read what others have said, and notes of the server: their senders are agents and the group.
 */
export const saidInGroup = ({ organizationId }: Scope, groupId: string) => sql`
  group_id = ${groupId} and (role not in ('user', 'system')
    or otid is not null and left(coalesce(sender_id, ''), 6) not in ('agent-', 'group-')
      and not exists (select from messages as earlier where earlier.organization_id = ${organizationId}
        and earlier.group_id = ${groupId} and earlier.otid = messages.otid
        and (earlier.created_at, earlier.id) < (messages.created_at, messages.id)))`

import { type Static, Type } from 'typebox'
import { Id, Instant, OneOf, Page, Query, Ref, Shape } from '../../lib/wire.ts'
import { ApprovalRequestMessage } from '../messages/schema.ts'

const { Optional } = Type

/** A request for approval that waits. */
export const PendingApproval = Shape('PendingApproval', {
  id: Type.String({ description: 'The message that asks.' }),
  agent_id: Id('agent'),
  conversation_id: Optional(Id('conv')),
  request: Ref(ApprovalRequestMessage),
  created_at: Instant(),
  expires_at: Optional(Instant({ description: 'From this instant on the request is denied.' })),
})
export type PendingApproval = Static<typeof PendingApproval>

export const ListApprovals = Query({
  ...Page('message'),
  order: Optional(OneOf(['asc', 'desc'], { description: 'Oldest first (asc, the default) or newest first (desc).' })),
  agent_id: Optional({ ...Id('agent'), description: 'Only requests of this agent.' }),
})
export type ListApprovals = Static<typeof ListApprovals>
